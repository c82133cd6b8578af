"""The share that a process takes of its machine: cores, and pauses of the garbage collector."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_pauses = 0
_was_enabled = True
_processes = 1


@contextmanager
def paused_garbage_collection() -> Iterator[None]:
    """Do not look for cyclic garbage inside; also usable as a decorator.

    A stage of indexing makes millions of rows, and none of them is garbage before its end: the
    collector would walk over all of them again and again, for half of the stage's time. What has
    no cycles is freed as ever. Stages may overlap in several threads: the collector goes on after
    the last of them, if it was on before the first.
    """
    _begin()
    try:
        yield
    finally:
        _end()


def _begin() -> None:
    global _pauses, _was_enabled
    with _lock:
        if not _pauses:
            _was_enabled = gc.isenabled()
            gc.disable()
        _pauses += 1


def _end() -> None:
    global _pauses
    with _lock:
        _pauses -= 1
        if not _pauses and _was_enabled:
            gc.enable()


def share_cores(processes: int) -> None:
    """Leave to others what is not this process's part of the cores and the memory.

    Args:
        processes: How many share the machine, this one among them.
    """
    global _processes
    _processes = max(1, processes)


def core_shares() -> int:
    """Return how many processes share the machine, as far as this one was told."""
    return _processes


def usable_cores() -> int:
    """Return the cores of this process, at least one."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS, Windows
        cores = os.cpu_count() or 1
    return max(1, cores // _processes)
