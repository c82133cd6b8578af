"""Processes that recognise pictures beside each other, each ended where a picture does harm."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache, partial
from threading import Lock
from typing import Any

from hoptrail.core.machine import core_shares, usable_cores
from hoptrail.indexing.loading.worker_process import WorkerProcess

MAX_SECONDS = 180.0
"""A picture may take; a page of 100 lines takes 15 on a core."""
_MEMORY = 1024**3  # bytes that a process takes at most
_SHARE = 0.7  # of the memory of the machine
_MOST_UNKNOWN = 4  # processes where the memory is not known
_WORKER = "hoptrail.indexing.loading.scans.scan_worker"

Answer = dict[str, Any]
Ask = Callable[[Answer], Answer]
Work = Callable[[Ask], Answer]


class ScanPool:
    """As many processes as there are cores and memory for, started when first used.

    Args:
        size: Their number; None lets the machine decide.
    """

    def __init__(self, size: int | None = None) -> None:
        self.size = size or max(1, min(usable_cores(), _room()))
        self._executor = ThreadPoolExecutor(self.size, thread_name_prefix="scan")
        self._lock = Lock()
        self._free: list[WorkerProcess] = []
        self._all: list[WorkerProcess] = []

    def submit(self, work: Work) -> Future[Answer]:
        """Let a process do some work; `work` is given what asks it."""
        return self._executor.submit(self._do, work)

    def close(self) -> None:
        """End the processes; what was not begun is left."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            for process in self._all:
                process.end()

    def _do(self, work: Work) -> Answer:
        with self._lock:
            process = self._free.pop() if self._free else _new_process()
            if process not in self._all:
                self._all.append(process)
        try:
            return work(partial(_ask, process))
        finally:
            with self._lock:
                self._free.append(process)


@lru_cache(maxsize=1)
def shared_pool(owner: int) -> ScanPool:
    """Return the pool of this process, for all its runs, as starting one takes seconds.

    Args:
        owner: The number of the process: a forked one has its own pool.
    """
    pool = ScanPool()
    atexit.register(pool.close)
    return pool


def _new_process() -> WorkerProcess:
    return WorkerProcess(_WORKER, OMP_NUM_THREADS="1")


def _ask(process: WorkerProcess, request: Answer) -> Answer:
    """Return the answer to a request, a `reason` where the process did not survive it."""
    try:
        return process.answer(request, MAX_SECONDS)
    except TimeoutError:
        return {"reason": f"takes more than {MAX_SECONDS:.0f} seconds to recognise"}
    except EOFError:
        return {"reason": "damaged, or takes too much memory"}


def _room() -> int:
    """Return how many processes this one's part of the memory of the machine holds."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        return _MOST_UNKNOWN
    return int(_SHARE * memory / _MEMORY / core_shares())
