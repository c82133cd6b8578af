"""A Ray cluster that works through shards: as many at the same time as it has room for.

Each shard is a task of Ray, so that Ray starts it again on another worker where one is killed or a
node is lost; the shard then goes on with what its folder holds. All see the same folder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from hoptrail.core.errors import HoptrailError
from hoptrail.core.machine import share_cores
from hoptrail.core.optional import require
from hoptrail.core.progress import Progress
from hoptrail.core.told_error import ToldError
from hoptrail.indexing.shards.shard_folder import ShardState
from hoptrail.indexing.spreading.shard_run import ShardTask, index_shard
from hoptrail.indexing.spreading.spread_run import DriverPurse

_LOOK_SECONDS = 1.0
_RETRIES = 3
_STAGE = "shards"


class ClusterError(HoptrailError):
    """A Ray cluster cannot be reached, or a shard was lost on it."""

    code = "cluster"


class RayCrew:
    """The workers of a Ray cluster.

    Args:
        address: `HOST:PORT` or `ray://HOST:PORT` of a cluster; `auto` for the one that this machine
            belongs to, else a new one of it alone; `local` for a new one.
        workers: Shards at the same time at most, None for as many as there are processors.
        gpus_per_worker: GPUs, or the part of one, of each shard.
        max_usd: What all shards may take together, None for any.

    Raises:
        MissingExtraError: If Ray is not installed.
        ClusterError: If the cluster cannot be reached.
    """

    def __init__(
        self, address: str, workers: int | None, gpus_per_worker: float, max_usd: float | None
    ) -> None:
        self._ray = _library()
        self._gpus = gpus_per_worker
        self._max_usd = max_usd
        self._usd_left = max_usd
        self.notes: list[str] = []  # Ray's own log tells of workers that were lost
        self._connect(address)
        self._size = workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    @property
    def size(self) -> int:
        """How many shards are indexed at the same time."""
        return self._size

    @property
    def usd_left(self) -> float | None:
        """The dollars of the limit that no shard has taken, None without one."""
        return self._usd_left

    def run(self, tasks: Sequence[ShardTask], progress: Progress) -> list[ShardState]:
        """Return how far each shard is, in the order of the tasks.

        Raises:
            HoptrailError: If one could not be indexed, after those under way are done.
            ClusterError: If one was lost again and again, or the cluster as a whole.
        """
        try:
            return self._run(tasks, progress)
        except self._ray.exceptions.RayError as error:
            raise _lost("the Ray cluster", error) from error

    def _run(self, tasks: Sequence[ShardTask], progress: Progress) -> list[ShardState]:
        ray = self._ray
        desk = ray.remote(num_cpus=0)(_Desk).remote(self._usd_left)
        work = ray.remote(num_cpus=1, num_gpus=self._gpus, max_retries=_RETRIES)(_work)
        waiting, running = list(reversed(tasks)), dict[Any, ShardTask]()
        done: dict[int, ShardState] = {}
        error: HoptrailError | None = None
        shown = _Shown(progress, len(tasks))
        while running or (waiting and error is None):
            while waiting and error is None and len(running) < self._size:
                task = waiting.pop()
                named = work.options(name=f"hoptrail shard {task.shard}")
                running[named.remote(task, desk, self._max_usd is not None)] = task
            ready, _ = ray.wait(list(running), timeout=_LOOK_SECONDS)
            for one in ready:
                task = running.pop(one)
                told = self._outcome(one, task)
                if isinstance(told, ShardState):
                    done[task.shard.number] = told
                    progress.advance(_STAGE)
                else:
                    error = error or told
            shown.show(ray.get(desk.steps.remote()))
        self._usd_left = ray.get(desk.usd_left.remote())
        ray.kill(desk)
        if error is not None:
            raise error
        progress.finish(_STAGE)
        return [done[task.shard.number] for task in tasks]

    def _outcome(self, one: Any, task: ShardTask) -> ShardState | HoptrailError:
        try:
            told: ShardState | ToldError = self._ray.get(one)
        except self._ray.exceptions.RayError as error:
            return _lost(f"shard {task.shard}", error)
        return told.error() if isinstance(told, ToldError) else told

    def _connect(self, address: str) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Hoptrail tells nobody of its use
        if self._ray.is_initialized():
            return
        try:
            self._ray.init(
                address=None if address == "auto" else address,
                log_to_driver=False,
                configure_logging=True,
                logging_level="error",
            )
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            raise ClusterError(
                f"the Ray cluster at {address} cannot be reached: {' '.join(str(error).split())}",
                hint="start it with ray start --head, or leave it to --ray local",
            ) from error


def _lost(what: str, error: Exception) -> ClusterError:
    first = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return ClusterError(
        f"{what} was lost: {first}", hint="what is done is stored; the same command goes on"
    )


class _Desk:
    """An actor of the cluster: the dollars of all shards, and how far they are."""

    def __init__(self, max_usd: float | None) -> None:
        self._purse = DriverPurse(max_usd)
        self._steps: dict[str, int] = {}

    def take(self, usd: float) -> bool:
        return self._purse.take(usd)

    def give_back(self, usd: float) -> None:
        self._purse.give_back(usd)

    def usd_left(self) -> float | None:
        return self._purse.left

    def advance(self, stage: str, steps: int) -> None:
        self._steps[stage] = self._steps.get(stage, 0) + steps

    def steps(self) -> dict[str, int]:
        return self._steps


class _Line:
    """The desk, as a task speaks to it: as observer and as purse."""

    def __init__(self, ray: Any, desk: Any) -> None:
        self._ray = ray
        self._desk = desk

    def start(self, stage: str, total: int | None) -> None:
        """Nothing: the first step tells of the stage."""

    def advance(self, stage: str, steps: int = 1) -> None:
        """Tell of steps."""
        self._desk.advance.remote(stage, steps)

    def finish(self, stage: str) -> None:
        """Nothing: other shards may still be in this stage."""

    def take(self, usd: float) -> bool:
        """Ask for dollars."""
        return bool(self._ray.get(self._desk.take.remote(usd)))

    def give_back(self, usd: float) -> None:
        """Return dollars."""
        self._ray.get(self._desk.give_back.remote(usd))


class _Shown:
    """Shows the steps of all shards."""

    def __init__(self, progress: Progress, shards: int) -> None:
        self._progress = progress
        self._steps: dict[str, int] = {}
        progress.start(_STAGE, shards)

    def show(self, steps: dict[str, int]) -> None:
        for stage, count in steps.items():
            if stage not in self._steps:
                self._progress.start(stage, None)
            if count > (before := self._steps.get(stage, 0)):
                self._progress.advance(stage, count - before)
                self._steps[stage] = count


def _library() -> Any:
    """Return the module of Ray.

    Raises:
        MissingExtraError: If it is not installed.
    """
    return require("ray", extra="ray", purpose="indexing by Ray")


def _work(task: ShardTask, desk: Any, is_limited: bool) -> ShardState | ToldError:
    """Index one shard in a worker of Ray, which keeps the embedder for the next one."""
    share_cores(os.cpu_count() or 1)  # Ray gives each task one core
    line = _Line(_library(), desk)
    try:
        return index_shard(task, progress=line, purse=line if is_limited else None)
    except HoptrailError as error:
        return ToldError.of(error)
