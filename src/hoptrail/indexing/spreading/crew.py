"""The role of who works through the shards of a run, and what those who play it share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hoptrail.core.progress import Progress
from hoptrail.indexing.shard_folder import ShardState
from hoptrail.indexing.spreading.shard_run import ShardTask

SHARDS_PER_WORKER = 4
"""Small shards leave no worker idle at the end, and little to do again where one is killed."""
_ROUNDS = 2  # loading; and, where a model reads the central passages of all, reading


class Crew(Protocol):
    """Works through shards, many at the same time."""

    @property
    def size(self) -> int:
        """How many at the same time."""
        ...

    @property
    def usd_left(self) -> float | None:
        """The dollars of the limit that no shard has taken, None without one."""
        ...

    @property
    def notes(self) -> list[str]:
        """Lines about what went other than it should."""
        ...

    def run(self, tasks: Sequence[ShardTask], progress: Progress) -> list[ShardState]:
        """Return how far each shard is, in the order of the tasks.

        Raises:
            HoptrailError: If one could not be indexed; what is done is stored.
        """
        ...


def index_shards(tasks: Sequence[ShardTask], crew: Crew, progress: Progress) -> None:
    """Index all shards of a run; those that are done already are left as they are.

    Raises:
        HoptrailError: If one could not be indexed; the same call goes on with what is left.
    """
    left = list(tasks)
    for _ in range(_ROUNDS):
        states = crew.run(left, progress)
        left = [task for task, state in zip(left, states, strict=True) if state.stage == "loaded"]
        if not left:
            return


class DriverPurse:
    """The dollars of a run, in the process that leads it.

    Args:
        max_usd: What all shards may take together, None for any.
    """

    def __init__(self, max_usd: float | None) -> None:
        self.left = max_usd

    def take(self, usd: float) -> bool:
        """Take so many dollars, all or none, and return whether they were there."""
        if self.left is None:
            return True
        if usd > self.left:
            return False
        self.left -= usd
        return True

    def give_back(self, usd: float) -> None:
        """Return dollars that were taken and not spent."""
        if self.left is not None:
            self.left += usd
