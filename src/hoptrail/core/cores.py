"""How many cores this process may use, where others work beside it."""

from __future__ import annotations

import os

_processes = 1


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
