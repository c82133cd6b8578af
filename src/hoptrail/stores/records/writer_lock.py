"""The lock that keeps a knowledge base to one writer."""

from __future__ import annotations

import os
from pathlib import Path

from filelock import FileLock, Timeout

from hoptrail.core.errors import KnowledgeBaseError, KnowledgeBaseLockedError

LOCK_NAME = "writer.lock"
_HOLDER = f"{LOCK_NAME}-holder"  # the lock's own file cannot be read everywhere while it is held


class WriterLock:
    """An advisory lock on a file of the folder; the system frees it when the process dies."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            KnowledgeBaseLockedError: If another writer holds it.
            KnowledgeBaseError: If the folder cannot be written.
        """
        self._holder = folder / _HOLDER
        self._lock = FileLock(folder / LOCK_NAME, timeout=0, thread_local=False)
        try:
            self._lock.acquire()
            self._holder.write_text(str(os.getpid()))
        except Timeout as error:
            raise KnowledgeBaseLockedError(
                f"{folder} is being written by process {self._holding_process()}",
                hint="wait until it is done, or end it; reading is possible meanwhile",
            ) from error
        except OSError as error:
            self._lock.release()
            raise KnowledgeBaseError(
                f"{folder} cannot be written: {error.strerror}", hint="check your rights to it"
            ) from error

    def release(self) -> None:
        """Give the lock back."""
        self._holder.unlink(missing_ok=True)
        self._lock.release()

    def _holding_process(self) -> str:
        try:
            return self._holder.read_text().strip() or "unknown"
        except (OSError, ValueError):
            return "unknown"
