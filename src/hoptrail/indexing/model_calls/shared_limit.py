"""A limit of dollars that several processes spend from at the same time."""

from __future__ import annotations

from typing import Protocol

from hoptrail.core.errors import CostLimitError
from hoptrail.core.money import dollars
from hoptrail.indexing.model_calls.spending_limit import SpendingLimit


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
