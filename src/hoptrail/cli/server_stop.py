"""How the server ends: the answers that are being written come first, within a limit."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from types import FrameType
from typing import Any

from sse_starlette.sse import AppStatus

from hoptrail.cli.output import counted, warn

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_LAST_LOOK_SECONDS = 1.0  # clients ask whether their run has ended, once its stream has
_STOPPED_AT_ONCE = 130


class ServerStop:
    """Lets answers finish after SIGTERM or Ctrl-C; a second signal ends the process at once.

    Until then the server goes on, but no run begins.

    Args:
        folder: The server's own folder, removed when it is ended at once.
        grace: Seconds that running answers get.
    """

    def __init__(self, folder: str, grace: float) -> None:
        self._folder = folder
        self._grace = grace
        self._answers = 0
        self._all_written = asyncio.Event()
        self.is_stopping = False

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Hold the end of the server back while an answer is written."""
        self._answers += 1
        self._all_written.clear()
        try:
            yield
        finally:
            self._answers -= 1
            if not self._answers:
                self._all_written.set()

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        """Take over the signals from uvicorn while the server runs."""
        self._loop = asyncio.get_running_loop()
        self._handlers = {number: signal.signal(number, self._handle) for number in _SIGNALS}
        yield

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.is_stopping:
            # Not here: in the event loop's thread, the LangGraph server forbids to touch files.
            threading.Thread(target=self._end_at_once).start()
            return
        self.is_stopping = True
        ending = self._finish(number)
        self._loop.call_soon_threadsafe(self._loop.create_task, ending)

    async def _finish(self, number: int) -> None:
        if self._answers:
            warn(f"finishing {counted(self._answers, 'answers')} first; once more stops at once")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._all_written.wait(), self._grace)
            if self._answers:
                warn(f"warning: cut off {counted(self._answers, 'unfinished answers')}")
            await asyncio.sleep(_LAST_LOOK_SECONDS)
        # Ends the streams that are left, which may only watch a thread and have no end.
        AppStatus.should_exit = True
        tell_uvicorn: Any = self._handlers[signal.Signals(number)]
        tell_uvicorn(number, None)

    def _end_at_once(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        os._exit(_STOPPED_AT_ONCE)
