"""The lock that keeps a training folder to one process."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hoptrail.core.errors import CheckpointError

LOCK = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder while a run writes into it; the system frees it when the process dies.

    Raises:
        CheckpointError: If another process trains in it.
    """
    with (folder / LOCK).open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CheckpointError(
                f"another process trains in {folder}",
                hint="wait until it is done, or give another --out folder",
            ) from error
        yield
