"""The lock that keeps a training folder to one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from hoptrail.core.errors import CheckpointError

LOCK = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder while a run writes into it; the system frees it when the process dies.

    Raises:
        CheckpointError: If another process trains in it.
    """
    lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise CheckpointError(
            f"another process trains in {folder}",
            hint="wait until it is done, or give another --out folder",
        ) from error
    try:
        yield
    finally:
        lock.release()
