"""One run that is divided into shards, indexed by a crew of many processes, and merged by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from hoptrail.core.errors import CostLimitError, HoptrailError, InputError, NothingIndexedError
from hoptrail.core.progress import Progress
from hoptrail.indexing.given_graphs.ms_graphrag.importing import split_inputs
from hoptrail.indexing.given_graphs.neo4j_graph import split_addresses
from hoptrail.indexing.loading.documents import Source
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.indexing.report import IndexReport
from hoptrail.indexing.shards.shard_folder import Shard, ShardState
from hoptrail.indexing.shards.shard_set import (
    finished_shards,
    remove_shards,
    shard_count,
    stopped_by,
)
from hoptrail.indexing.spending import SpendingLimit
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


def _index_shards(tasks: Sequence[ShardTask], crew: Crew, progress: Progress) -> None:
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


def divided_inputs(inputs: Iterable[Source]) -> tuple[tuple[str, ...], list[Source]]:
    """Return the inputs whose documents shards read, and those that are imported as a whole.

    Raises:
        InputError: If one of them cannot be read by several processes.
    """
    graphs, others = split_addresses(inputs)
    folders, documents = split_inputs(others)
    divided: list[str] = []
    for item in documents:
        if not isinstance(item, str | Path) or str(item) == "-":
            raise InputError(
                "standard input and documents of a program cannot be divided into shards",
                hint="give files and folders",
            )
        divided.append(str(item))
    return tuple(divided), [*graphs, *folders]


def index_spread(
    indexer: Indexer, inputs: Sequence[Source], task: ShardTask, crew: Crew, progress: Progress
) -> IndexReport:
    """Index by many processes; the base is then as one process would have made it.

    A run that was killed, wherever, is continued by the same call: shards that are done stay. They
    are removed when they are merged and nothing is left to do.

    Args:
        indexer: Writes the base.
        inputs: Files, folders and addresses.
        task: What all shards have in common; its inputs and shard are not looked at.
        crew: Who indexes the shards.
        progress: Observer.

    Raises:
        HoptrailError: As of `Indexer.index`; or if a shard could not be indexed.
    """
    divided, _ = divided_inputs(inputs)
    options = task.options
    if not divided:
        return indexer.index(inputs, options)
    indexer.check(options)
    count = shard_count(task.into) or SHARDS_PER_WORKER * crew.size
    common = replace(task, inputs=divided, options=_of_worker(options, min(crew.size, count)))
    tasks = [replace(common, shard=Shard(number, count)) for number in range(1, count + 1)]
    _index_shards(tasks, crew, progress)
    shards = finished_shards(task.into)
    stopped = stopped_by(shards)
    left = replace(options, max_usd=crew.usd_left)
    if stopped is not None:  # else the model that was stopped would be asked again here
        left = replace(left, extractor="none")
    try:
        report = indexer.index(inputs, left, shards=shards)
    except NothingIndexedError:
        remove_shards(task.into)
        raise
    if stopped is not None:
        raise _of_all(stopped, options, crew)
    remove_shards(task.into)
    return replace(report, notes=(*crew.notes, *report.notes))


def _of_all(stopped: HoptrailError, options: IndexOptions, crew: Crew) -> HoptrailError:
    """Return the error of the run: at its limit of dollars, it tells those of all shards."""
    if not isinstance(stopped, CostLimitError) or options.max_usd is None:
        return stopped
    limit = SpendingLimit(options.max_usd)
    limit.spend(options.max_usd - (crew.usd_left or 0.0))
    return limit.reached()


def _of_worker(options: IndexOptions, size: int) -> IndexOptions:
    """Return the options of one of `size` workers: together they make as many calls at once."""
    return replace(options, concurrency=max(1, options.concurrency // size), triples=())
