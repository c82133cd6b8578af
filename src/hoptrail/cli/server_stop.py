"""How the server ends: the answers that are being written come first, within a limit."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import FrameType
from typing import Any

from sse_starlette.sse import AppStatus

from hoptrail.cli.output import warn

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_STOPPED_AT_ONCE = 130


class ServerStop:
    """Lets answers finish after SIGTERM or Ctrl-C; a second signal ends the process at once.

    Uvicorn takes no new connection then and waits for those that are open, up to its own limit.
    Streams without an answer to write, such as a client that watches a thread, are ended here.

    Args:
        folder: The server's own folder, removed when it is ended at once.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._answers = 0
        self._is_stopping = False

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Hold the end of the server back while an answer is written."""
        self._answers += 1
        try:
            yield
        finally:
            self._answers -= 1
            self._end_other_streams()

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        """Take over the signals from uvicorn while the server runs."""
        # Otherwise every stream, answers too, is cut off as soon as uvicorn is told to stop.
        AppStatus.enable_automatic_graceful_drain = False
        self._loop = asyncio.get_running_loop()
        self._handlers = {number: signal.signal(number, self._handle) for number in _SIGNALS}
        yield
        if self._answers:
            warn(f"warning: {self._answers} unfinished answers were cut off")

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._is_stopping:
            shutil.rmtree(self._folder, ignore_errors=True)
            os._exit(_STOPPED_AT_ONCE)
        self._is_stopping = True
        if self._answers:
            warn(f"finishing {self._answers} answers first; once more stops at once")
        self._loop.call_soon_threadsafe(self._end_other_streams)
        tell_uvicorn: Any = self._handlers[signal.Signals(number)]
        tell_uvicorn(number, frame)

    def _end_other_streams(self) -> None:
        if self._is_stopping and not self._answers:
            AppStatus.should_exit = True
