"""The dollars of one run: their limit, the prices of models, and many calls under both."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from langchain_core.messages import BaseMessage

from hoptrail.core.errors import CostLimitError, HoptrailError, ModelUnavailableError, SettingsError
from hoptrail.core.progress import Progress
from hoptrail.core.settings import Price
from hoptrail.core.text import dollars
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import NodeUsage
from hoptrail.models.prices import known_price

T = TypeVar("T")
_FAILURES_IN_A_ROW = 8


class SpendingLimit:
    """Says before each call whether it still fits.

    Args:
        max_usd: What the run may take at most, None for any.
    """

    def __init__(self, max_usd: float | None) -> None:
        self._max_usd = max_usd
        self._usd_spent = 0.0
        self._usd_reserved = 0.0

    def spend(self, usd: float) -> None:
        """Book what a call took."""
        self._usd_spent += usd

    def exceeds(self, usd: float) -> bool:
        """Return whether a call of about so many dollars could pass the limit."""
        limit = self._max_usd
        return limit is not None and self._usd_spent + self._usd_reserved + usd > limit

    def check(self, usd: float) -> None:
        """Make sure that a call of about so many dollars fits.

        Raises:
            CostLimitError: If it does not.
        """
        if self.exceeds(usd):
            raise self.reached()

    @contextmanager
    def reserved(self, usd: float) -> Iterator[None]:
        """Keep dollars back for what is under way, or must still be done."""
        self._usd_reserved += usd
        try:
            yield
        finally:
            self._usd_reserved -= usd

    def reached(self) -> CostLimitError:
        """Return the error that says that the limit was reached."""
        return CostLimitError(
            f"stopped at {dollars(self._usd_spent)}: the next call could pass the limit of "
            f"{dollars(self._max_usd or 0.0)}",
            hint="everything paid for is stored; run again with a higher limit to go on",
        )


class Purse(Protocol):
    """The dollars of a run that nobody has taken yet."""

    def take(self, usd: float) -> bool:
        """Take so many dollars, all or none, and return whether they were there."""
        ...

    def give_back(self, usd: float) -> None:
        """Return dollars that were taken and not spent."""


class SharedLimit(SpendingLimit):
    """The dollars that one process has taken; it takes more whenever the next call needs it.

    What a process had taken when it was killed stays taken: together they never pass the limit.

    Args:
        purse: Shared with the other processes.
    """

    def __init__(self, purse: Purse) -> None:
        super().__init__(0.0)
        self._purse = purse

    def exceeds(self, usd: float) -> bool:
        """Return whether a call of about so many dollars could pass the limit of all."""
        needed = self._usd_spent + self._usd_reserved + usd - self._taken
        if needed <= 0:
            return False
        if not self._purse.take(needed):
            return True
        self._max_usd = self._taken + needed
        return False

    def close(self) -> None:
        """Give back what was not spent."""
        left = self._taken - self._usd_spent - self._usd_reserved
        if left > 0:
            self._purse.give_back(left)
            self._max_usd = self._taken - left

    def reached(self) -> CostLimitError:
        """Return the error that says that the limit was reached."""
        return CostLimitError(
            f"stopped at {dollars(self._usd_spent)} of this shard: the next call could pass the "
            "limit of all shards",
            hint="everything paid for is stored; run again with a higher limit to go on",
        )

    @property
    def _taken(self) -> float:
        return self._max_usd or 0.0


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


def price_for_limit(model: str, prices: Mapping[str, Price], max_usd: float | None) -> Price | None:
    """Return the known price of a model that is to be used under a limit of dollars (None: any).

    Raises:
        SettingsError: If there is a limit and the model's price is not known.
    """
    price = known_price(model, prices)
    if max_usd is not None and price is None:
        raise SettingsError(
            f"the price of {model} is not known, so max_usd cannot be kept", hint=how_to_set(model)
        )
    return price


def how_to_set(model: str) -> str:
    """Return what to do about a price that is not known."""
    return (
        f'set it in hoptrail.toml, dollars per million tokens: [prices."{model}"] prompt = ..., '
        "completion = ..."
    )


def estimate_usage(
    messages: Sequence[BaseMessage], completion: int, price: Price | None
) -> NodeUsage:
    """Return what one call will spend, about; dollars are 0 where the price is not known.

    Args:
        messages: The prompt.
        completion: Tokens of the reply, as it is expected.
        price: Of the model.
    """
    prompt = sum(estimate_tokens(str(message.text)) for message in messages)
    return NodeUsage(1, prompt, completion, 0.0, price.usd(prompt, completion) if price else 0.0)
