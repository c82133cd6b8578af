"""The lock that keeps a knowledge base to one writer."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from hoptrail.core.errors import KnowledgeBaseError, KnowledgeBaseLockedError

LOCK_NAME = "writer.lock"


class WriterLock:
    """An advisory lock on a file of the folder; the system frees it when the process dies."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            KnowledgeBaseLockedError: If another writer holds it.
            KnowledgeBaseError: If the folder cannot be written.
        """
        try:
            self._file = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise KnowledgeBaseError(
                f"{folder} cannot be written: {error.strerror}", hint="check your rights to it"
            ) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(self._file, 32).decode(errors="replace").strip()
            os.close(self._file)
            raise KnowledgeBaseLockedError(
                f"{folder} is being written by process {holder or 'unknown'}",
                hint="wait until it is done, or end it; reading is possible meanwhile",
            ) from error
        os.ftruncate(self._file, 0)
        os.write(self._file, str(os.getpid()).encode())

    def release(self) -> None:
        """Give the lock back."""
        os.close(self._file)
