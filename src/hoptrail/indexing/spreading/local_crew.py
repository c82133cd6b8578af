"""Processes of this machine that work through shards, each shard again where its process is killed.

Each has a pipe of its own to the one that leads: a process that is killed takes no lock with it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Sequence
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from hoptrail.core.errors import DiskError, HoptrailError
from hoptrail.core.machine import share_cores
from hoptrail.core.progress import Progress
from hoptrail.core.told_error import ToldError
from hoptrail.indexing.shards.shard_folder import ShardState
from hoptrail.indexing.spreading.shard_run import ShardTask, index_shard
from hoptrail.indexing.spreading.spread_run import DriverPurse

_TRIES = 3
_STAGE = "shards"
_GRACE_SECONDS = 10.0  # a process has nothing more to do when its pipe is closed


class WorkerLostError(HoptrailError):
    """The process of a shard was ended from outside, again and again."""

    code = "worker_lost"


class LocalCrew:
    """Processes of this machine.

    Args:
        workers: How many.
        max_usd: What all shards may take together, None for any.
    """

    def __init__(self, workers: int, max_usd: float | None) -> None:
        self._workers = workers
        self._max_usd = max_usd
        self._purse = DriverPurse(max_usd)
        self.notes: list[str] = []

    @property
    def size(self) -> int:
        """How many shards are indexed at the same time."""
        return self._workers

    @property
    def usd_left(self) -> float | None:
        """The dollars of the limit that no shard has taken, None without one."""
        return self._purse.left

    def run(self, tasks: Sequence[ShardTask], progress: Progress) -> list[ShardState]:
        """Return how far each shard is, in the order of the tasks.

        Raises:
            HoptrailError: If one could not be indexed, after those under way are done.
            WorkerLostError: If the process of one was killed three times.
        """
        desk = _Desk(tasks, progress, self._purse, self.notes)
        hired: list[_Worker] = []
        progress.start(_STAGE, len(tasks))
        try:
            for _ in range(min(self._workers, len(tasks))):
                hired.append(self._hire(desk))
            while any(worker.task is not None for worker in hired):
                for channel in wait([worker.channel for worker in hired]):
                    worker = next(one for one in hired if one.channel is channel)
                    if worker.hear(desk):
                        continue
                    hired.remove(worker)
                    desk.lost(worker)
                    if desk.has_more:
                        hired.append(self._hire(desk))
        except BaseException:
            for worker in hired:
                worker.end(grace=0)
            raise
        for worker in hired:
            worker.end()
        progress.finish(_STAGE)
        return desk.states()

    def _hire(self, desk: _Desk) -> _Worker:
        worker = _Worker(self._workers, is_limited=self._max_usd is not None)
        worker.give(desk.next())
        return worker


class _Desk:
    """The shards that are left to do, and the outcomes of the others."""

    def __init__(
        self,
        tasks: Sequence[ShardTask],
        progress: Progress,
        purse: DriverPurse,
        notes: list[str],
    ) -> None:
        self.progress = progress
        self.purse = purse
        self._notes = notes
        self._tasks = tasks
        self._queue = deque(tasks)
        self._done: dict[int, ShardState] = {}
        self._tries: dict[int, int] = {}
        self._error: HoptrailError | None = None
        self._stages: set[str] = set()

    @property
    def has_more(self) -> bool:
        return bool(self._queue)

    def next(self) -> ShardTask | None:
        return self._queue.popleft() if self._queue else None

    def start(self, stage: str) -> None:
        """Show a stage when the first shard is in it; the totals of all are not known."""
        if stage not in self._stages:
            self._stages.add(stage)
            self.progress.start(stage, None)

    def done(self, state: ShardState) -> None:
        self._done[state.number] = state
        self.progress.advance(_STAGE)

    def failed(self, error: HoptrailError) -> None:
        self._error = self._error or error
        self._queue.clear()

    def lost(self, worker: _Worker) -> None:
        """Put the shard of a process that ended first in the queue again."""
        status = worker.end()
        task = worker.task
        if task is None:
            return
        number = task.shard.number
        self._tries[number] = self._tries.get(number, 0) + 1
        if status < 0 and self._tries[number] < _TRIES and self._error is None:
            self._queue.appendleft(task)
            self._notes.append(
                f"the process of shard {task.shard} was ended (signal {-status}); another one went "
                "on with it"
            )
            return
        how = f"signal {-status}" if status < 0 else f"exit code {status}"
        times = f"{self._tries[number]} times " if status < 0 else ""
        self.failed(
            WorkerLostError(
                f"the process of shard {task.shard} was ended {times}({how})",
                hint="what is done is stored and the same command goes on; fewer workers take "
                "less memory",
            )
        )

    def states(self) -> list[ShardState]:
        if self._error is not None:
            raise self._error
        return [self._done[task.shard.number] for task in self._tasks]


class _Worker:
    """One process as the leading one sees it."""

    def __init__(self, workers: int, *, is_limited: bool) -> None:
        context = get_context("spawn")  # a fork would copy the locks of this process's threads
        self.channel, theirs = context.Pipe()
        self.task: ShardTask | None = None
        self._process = context.Process(
            target=work, args=(theirs, workers, is_limited), daemon=True, name="hoptrail-shard"
        )
        self._process.start()
        theirs.close()

    def give(self, task: ShardTask | None) -> None:
        self.task = task
        if task is not None:
            self._send(task)

    def hear(self, desk: _Desk) -> bool:
        """Take what the process says; return whether it is still there."""
        try:
            kind, told = self.channel.recv()
        except (EOFError, OSError):
            return False
        if kind == "take":
            self._send(desk.purse.take(told))
        elif kind == "give_back":
            desk.purse.give_back(told)
        elif kind == "advance":
            desk.progress.advance(*told)
        elif kind == "start":
            desk.start(told)
        elif kind == "done":
            desk.done(told)
            self.give(desk.next())
        else:
            desk.failed(told.error())
            self.give(None)
        return True

    def end(self, grace: float = _GRACE_SECONDS) -> int:
        """Let the process end, or kill it; return its exit code, negative for a signal."""
        self.channel.close()
        self._process.join(timeout=grace)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        return self._process.exitcode or 0

    def _send(self, message: object) -> None:
        try:
            self.channel.send(message)
        except OSError:
            pass  # it was killed: that is seen where it is listened to


class _Line:
    """The leading process, as a worker speaks to it: as observer and as purse."""

    def __init__(self, channel: Connection) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._known: set[str] = set()

    def start(self, stage: str, total: int | None) -> None:
        """Tell of a stage when it comes first."""
        if stage not in self._known:
            self._known.add(stage)
            self._say("start", stage)

    def advance(self, stage: str, steps: int = 1) -> None:
        """Tell of steps."""
        self._say("advance", (stage, steps))

    def finish(self, stage: str) -> None:
        """Nothing: other shards may still be in this stage."""

    def take(self, usd: float) -> bool:
        """Ask for dollars."""
        with self._lock:
            self._channel.send(("take", usd))
            return bool(self._channel.recv())

    def give_back(self, usd: float) -> None:
        """Return dollars."""
        self._say("give_back", usd)

    def _say(self, kind: str, told: Any) -> None:
        with self._lock:
            self._channel.send((kind, told))


def work(channel: Connection, workers: int, is_limited: bool) -> None:
    """Index the shards that come through the channel, until it is closed.

    It is the main function of a worker, and ends with the process that started it.
    """
    _end_with(parent_process())
    sys.stdout = sys.stderr  # the leading process prints the report there
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the leading process ends this one
    share_cores(workers)
    line = _Line(channel)
    while True:
        try:
            task: ShardTask = channel.recv()
        except (EOFError, OSError):
            return
        try:
            state = index_shard(task, progress=line, purse=line if is_limited else None)
        except HoptrailError as error:
            channel.send(("error", ToldError.of(error)))
        except OSError as error:  # as of a disk that is full
            told = DiskError(f"{error.filename or task.into}: {error.strerror or error}")
            channel.send(("error", ToldError.of(told)))
        else:
            channel.send(("done", state))


def _end_with(parent: BaseProcess | None) -> None:
    if parent is not None:
        threading.Thread(target=_exit_after, args=(parent,), daemon=True).start()


def _exit_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
