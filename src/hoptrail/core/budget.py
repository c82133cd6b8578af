"""Limits on what a run spends, and the one place where they are checked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from hoptrail.core.errors import BudgetExceededError
from hoptrail.core.types import NodeUsage, Usage

COUNTS_ESTIMATED = "counts tokens that cannot be: estimated"
"""End of the note on a server's impossible counts, told where an answer's tokens are shown."""
_BEFORE_START = time.time() - time.monotonic()


def run_clock() -> float:
    """Return the time in Unix seconds, of a clock that nobody sets while this process runs.

    The system's may be put an hour back in the midst of a question, which would then have an hour
    more.
    """
    return _BEFORE_START + time.monotonic()


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds of one run; None leaves a bound open.

    Attributes:
        max_calls: Model calls, failed and repeated ones included.
        max_tokens: Prompt and completion tokens together; the call that crosses it still counts.
        max_seconds: Wall-clock time since `started_at`.
        started_at: Start of the run, by `run_clock`.
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_seconds: float | None = None
    started_at: float = field(default_factory=run_clock)

    def remaining_seconds(self) -> float | None:
        """Return the seconds left (never negative), None without a bound."""
        if self.max_seconds is None:
            return None
        return max(0.0, self.started_at + self.max_seconds - run_clock())


@dataclass(slots=True)
class Account:
    """Dollars spent by all meters of a run; see `open_account`."""

    usd: float = 0.0


class Meter:
    """Counts what one node spends on top of what the run has spent before.

    `usage.seconds` sums the time of its model calls, waits for a rate limit included. `notes` are
    lines for the answer about what went other than it should. `degraded` becomes true once
    something was done without the model that should have done it.

    Args:
        node: Name under which the usage is booked.
        limits: Bounds of the whole run.
        spent: What the run spent before this node.
    """

    def __init__(self, node: str, limits: Limits | None = None, spent: Usage | None = None) -> None:
        self.node = node
        self.limits = limits or Limits()
        self.usage = NodeUsage()
        self.notes: list[str] = []
        self.degraded = False
        self._spent = spent or Usage()

    def check(self) -> None:
        """Make sure that one more model call is allowed.

        Raises:
            BudgetExceededError: With the kind budget_calls, budget_tokens or budget_seconds.
        """
        limits = self.limits
        calls = self._spent.llm_calls + self.usage.llm_calls
        if limits.max_calls is not None and calls >= limits.max_calls:
            raise BudgetExceededError("budget_calls", f"the run used its {calls} model calls")
        tokens = self._spent.tokens + self.usage.prompt_tokens + self.usage.completion_tokens
        if limits.max_tokens is not None and tokens >= limits.max_tokens:
            raise BudgetExceededError(
                "budget_tokens", f"the run used {tokens} of its {limits.max_tokens} tokens"
            )
        if limits.remaining_seconds() == 0:
            raise self.out_of_time()

    def begin_call(self) -> None:
        """Check the budget and count a call that is about to be sent.

        Counting before sending keeps concurrent calls within the bound and counts calls that fail.

        Raises:
            BudgetExceededError: As `check` does; the call is not counted then.
        """
        self.check()
        self.add(NodeUsage(llm_calls=1))

    def add(self, spent: NodeUsage) -> None:
        """Book further usage."""
        self.usage = self.usage + spent
        if (account := _account.get()) is not None:
            account.usd += spent.usd

    def take_over(self, other: Meter) -> None:
        """Add what another meter has booked; the account of the run has it already."""
        self.usage = self.usage + other.usage

    def note(self, line: str) -> None:
        """Keep one line about something that went other than it should, once."""
        if line not in self.notes:
            self.notes.append(line)

    def spent(self, seconds: float) -> NodeUsage:
        """Return the node's usage with its own wall-clock seconds instead of its calls'."""
        return replace(self.usage, seconds=seconds)

    def out_of_time(self) -> BudgetExceededError:
        """Return the error that says that the run's seconds are over."""
        return BudgetExceededError(
            "budget_seconds", f"the run reached its limit of {self.limits.max_seconds:g} seconds"
        )


_booked_to: ContextVar[Meter | None] = ContextVar("booked_to", default=None)
_account: ContextVar[Account | None] = ContextVar("account", default=None)


def open_account() -> Account:
    """Return an account of what this task, and those that it starts, will spend from now on.

    A run that is stopped or fails has no answer that tells what it has cost.
    """
    account = Account()
    _account.set(account)
    return account


@contextmanager
def booking_to(meter: Meter) -> Iterator[None]:
    """Let a served embedder book what it spends within to this meter.

    Vectors are asked for far below a node, in retrievers and stores that know no meter; threads
    that are started with a copy of the context book here too.
    """
    token = _booked_to.set(meter)
    try:
        yield
    finally:
        _booked_to.reset(token)


def current_meter() -> Meter | None:
    """Return the meter of the nearest `booking_to`, None outside of any."""
    return _booked_to.get()


def seconds_within(most: float) -> float:
    """Return the seconds that work of this moment may take: `most`, or what the run has left."""
    meter = current_meter()
    left = None if meter is None else meter.limits.remaining_seconds()
    return most if left is None else min(most, left)
