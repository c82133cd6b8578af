"""The dollars that one run may take, whatever it calls and in however many processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from hoptrail.core.errors import CostLimitError
from hoptrail.core.money import dollars


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
        ...


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
