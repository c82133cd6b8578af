"""Many model calls at once, under a limit of dollars, that stop together when the model is gone."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from hoptrail.core.errors import HoptrailError, ModelUnavailableError
from hoptrail.core.progress import Progress
from hoptrail.indexing.model_calls.spending_limit import SpendingLimit

T = TypeVar("T")

_FAILURES_IN_A_ROW = 8


class PaidCalls(Generic[T]):
    """Works through items, `concurrency` at the same time, until done or stopped.

    `work` stores what it got before it returns, so that nothing paid for is lost when another item
    stops the run; why it stopped is kept in `stopped_by`.

    Args:
        stage: Name for the progress.
        work: Does one item and returns the dollars it took. It raises ModelUnavailableError where
            the model could not be reached, and handles what goes wrong with its item alone.
        estimate: About what an item will take, in dollars.
        concurrency: Items at the same time.
        limit: What the run may take; others may spend from it too.
        progress: Observer.
        go_on: How a stopped run is continued, for the error that says that it stopped.
    """

    def __init__(
        self,
        stage: str,
        work: Callable[[T], Awaitable[float]],
        *,
        estimate: Callable[[T], float],
        concurrency: int,
        limit: SpendingLimit,
        progress: Progress,
        go_on: str = "the same command",
    ) -> None:
        self._stage = stage
        self._work = work
        self._estimate = estimate
        self._concurrency = concurrency
        self._limit = limit
        self._progress = progress
        self._go_on = go_on
        self._unavailable_in_a_row = 0
        self.stopped_by: HoptrailError | None = None

    async def run(self, items: Sequence[T]) -> None:
        """Work through the items; those left when it stops are simply not done."""
        queue = deque(items)
        self._progress.start(self._stage, len(queue))
        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._concurrency, len(queue))):
                group.create_task(self._take(queue))
        self._progress.finish(self._stage)

    async def _take(self, queue: deque[T]) -> None:
        while queue and self.stopped_by is None:
            item = queue.popleft()
            reserved = self._estimate(item)
            if self._limit.exceeds(reserved):
                self.stopped_by = self._limit.reached()
                return
            try:
                with self._limit.reserved(reserved):
                    self._limit.spend(await self._work(item))
                self._unavailable_in_a_row = 0
            except ModelUnavailableError as error:
                self._note_unavailable(error)
            except HoptrailError as error:
                self.stopped_by = error
                return
            self._progress.advance(self._stage)

    def _note_unavailable(self, error: ModelUnavailableError) -> None:
        self._unavailable_in_a_row += 1
        if self._unavailable_in_a_row >= _FAILURES_IN_A_ROW and self.stopped_by is None:
            stored = f"what is done is stored; go on later with {self._go_on}"
            self.stopped_by = ModelUnavailableError(
                f"stopped after {self._unavailable_in_a_row} failures in a row: {error.message}",
                hint="; ".join(filter(None, [error.hint, stored])),
            )
