"""Processes of their own for files that may do harm: a line of JSON in, a line of JSON out.

Files come from anywhere, and a few kilobytes of one may unpack to gigabytes. The process that asks
ends the other one where a file takes too long, and outlives it where one takes too much. Several of
them recognise pictures beside each other.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache, partial
from threading import Lock, Timer
from typing import Any

from hoptrail.core.machine import core_shares, usable_cores


class WorkerProcess:
    """One process for many requests, as its start takes as long as many of them.

    It is started when it is first asked, and anew after it was ended.

    Args:
        module: What it runs.
        environment: Variables that it has beside those of this process.
    """

    def __init__(self, module: str, **environment: str) -> None:
        self._module = module
        self._environment = environment
        self._lock = Lock()
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0

    def answer(self, request: Any, seconds: float) -> dict[str, Any]:
        """Return the answer to a request.

        Raises:
            TimeoutError: If it takes longer than that.
            EOFError: If the process did not survive it.
        """
        with self._lock:
            process = self._running()
            assert process.stdin is not None and process.stdout is not None
            timer = Timer(seconds, process.kill)
            timer.start()
            try:
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except OSError:
                line = ""
            except BaseException:
                self.end()  # or else its answer would be taken for the next request's
                raise
            finally:
                was_in_time = timer.is_alive()
                timer.cancel()
            if line.endswith("\n"):
                return dict(json.loads(line))
            self.end()
        raise EOFError if was_in_time else TimeoutError

    def end(self) -> None:
        """End the process, unless it serves the one that this was forked from."""
        process = self._process
        if process is None or self._owner != os.getpid():
            return
        self._process = None
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what could not be sent to it any more
                    pipe.close()

    def _running(self) -> subprocess.Popen[str]:
        """Return the process, started anew in a process that was forked from the one it serves."""
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self._owner = os.getpid()
            path = os.pathsep.join(filter(None, sys.path))
            self._process = subprocess.Popen(
                [sys.executable, "-m", self._module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env={**os.environ, "PYTHONPATH": path, **self._environment},
            )
        return self._process


def bound_memory(most: int) -> None:
    """Let the system refuse this process more memory than `most` bytes, where it can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    try:
        _, limit = resource.getrlimit(resource.RLIMIT_AS)
        own = most if limit == resource.RLIM_INFINITY else min(most, limit)
        resource.setrlimit(resource.RLIMIT_AS, (own, limit))
    except (ValueError, OSError):  # macOS has no such limit
        return


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
