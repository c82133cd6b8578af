"""Questions that are being answered: how many at once, and how each is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, suppress
from typing import Any, Literal
from uuid import uuid4

from hoptrail.core.errors import OverloadedError, ThreadBusyError
from hoptrail.core.types import Event
from hoptrail.web.errors import ApiError

_AHEAD = 64  # events that wait for a slow reader
_END_SECONDS = 10.0

Outcome = Event | BaseException | Literal["end", "stopped"]


class Runs:
    """The questions of one application.

    Args:
        at_once: How many are answered at the same time.
        waiting: How many may wait for that.
    """

    def __init__(self, at_once: int, waiting: int) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._most = at_once + waiting
        self._runs: dict[str, Run] = {}
        self._answering = 0
        self.is_stopping = False

    @property
    def answering(self) -> int:
        """Questions that are being answered."""
        return self._answering

    @property
    def unfinished(self) -> int:
        """Questions that are being answered or wait."""
        return len(self._runs)

    def begin(
        self,
        owner: str,
        answer: Callable[[], AsyncGenerator[Event, None]],
        thread: str | None = None,
    ) -> Run:
        """Begin to answer a question, or let it wait.

        Args:
            owner: Who may stop it.
            answer: Begins the stream of its events.
            thread: The thread that it is asked in, if any.

        Raises:
            ThreadBusyError: If another question of the thread is unfinished: to wait for it would
                keep the place of one that could be answered.
            OverloadedError: If too many wait.
            ApiError: If the application is being stopped.
        """
        self.require_going_on()
        if len(self._runs) >= self._most:
            raise OverloadedError(f"{len(self._runs)} questions wait", hint="try again")
        if thread is not None and any(run.thread == thread for run in self._runs.values()):
            raise ThreadBusyError(
                "this thread is still answering another question",
                hint="wait until it is done, stop it, or use another thread",
            )
        run = Run(owner, thread)
        self._runs[run.id] = run
        run.start(self._answer(answer, run), on_end=lambda: self._runs.pop(run.id, None))
        return run

    def require_going_on(self) -> None:
        """Raise ApiError if the application is being stopped: nothing long may begin then."""
        if self.is_stopping:
            raise ApiError(503, "stopping", "the server is stopping", hint="ask again soon")

    def find(self, run_id: str, owner: str) -> Run | None:
        """Return an unfinished run of this owner."""
        run = self._runs.get(run_id)
        return run if run is not None and run.owner == owner else None

    async def end_in(self, thread: str) -> None:
        """Stop what is being answered in a thread, and wait until it has ended."""
        for run in [run for run in self._runs.values() if run.thread == thread]:
            run.stop()
            await run.ended()

    def stop_all(self) -> None:
        """Stop every run; each tells its client."""
        self.is_stopping = True
        for run in list(self._runs.values()):
            run.stop()

    async def end_all(self) -> None:
        """Stop every run, and wait until what they keep is written: conversations, spending."""
        unfinished = list(self._runs.values())
        self.stop_all()
        ends = asyncio.gather(*(run.ended() for run in unfinished))
        with suppress(TimeoutError):
            await asyncio.wait_for(ends, _END_SECONDS)

    async def _answer(self, answer: Callable[[], AsyncGenerator[Event, None]], run: Run) -> None:
        async with self._free:
            self._answering += 1
            try:
                async with aclosing(answer()) as events:
                    async for event in events:
                        await run.put(event)
            finally:
                self._answering -= 1


class Run:
    """One question that is being answered; used in `async with`, it ends with its reader.

    Args:
        owner: Who may stop it.
        thread: The thread that it is asked in.
    """

    def __init__(self, owner: str, thread: str | None = None) -> None:
        self.id = uuid4().hex
        self.owner = owner
        self.thread = thread
        self._events: asyncio.Queue[Outcome] = asyncio.Queue(_AHEAD)
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Run:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.stop()
        await self.ended()

    def start(self, work: Any, *, on_end: Callable[[], object]) -> None:
        """Start the work; `on_end` is called when it has ended, however it does."""
        self._task = asyncio.create_task(self._carry_out(work, on_end))

    async def put(self, event: Event) -> None:
        """Hand an event to the reader, who may be some events behind."""
        await self._events.put(event)

    def stop(self) -> None:
        """End the run; its reader is told."""
        if self._task is not None:
            self._task.cancel()

    async def ended(self) -> None:
        """Wait until it has ended."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def events(self, pause_seconds: float) -> AsyncIterator[Event | None]:
        """Yield the events, None after each pause without any.

        Raises:
            Stopped: If the run was stopped.
            HoptrailError: What the question came to.
        """
        while True:
            try:
                outcome = await asyncio.wait_for(self._events.get(), pause_seconds)
            except TimeoutError:
                yield None
                continue
            if outcome == "end":
                return
            if outcome == "stopped":
                raise Stopped
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome

    async def _carry_out(self, work: Any, on_end: Callable[[], object]) -> None:
        outcome: Outcome = "end"
        try:
            await work
        except asyncio.CancelledError:
            outcome = "stopped"
        except Exception as error:
            outcome = error
        finally:
            on_end()
        if outcome == "stopped" and self._events.full():
            self._events.get_nowait()  # a reader that is far behind is still told the end
        with suppress(asyncio.CancelledError):
            await self._events.put(outcome)


class Stopped(Exception):  # noqa: N818 - it is an end, not a fault
    """A run was stopped before it had an answer."""
