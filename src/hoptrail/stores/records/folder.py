"""The folder of a knowledge base: which may be opened, or become one, and its one writer."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from hoptrail.core.errors import KnowledgeBaseError, KnowledgeBaseLockedError
from hoptrail.stores.records.database import DATABASE_NAME, NEW_DATABASE
from hoptrail.stores.records.schema import not_a_knowledge_base

LOCK_NAME = "writer.lock"
_HOLDER = f"{LOCK_NAME}-holder"  # the lock's own file cannot be read everywhere while it is held
SHARDS_NAME = "shards"
"""Folder within a knowledge base for the shards of a run that is divided, until they are merged."""


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
            raise self._held(folder) from error
        except OSError as error:
            self._lock.release()
            raise KnowledgeBaseError(
                f"{folder} cannot be written: {error.strerror}", hint="check your rights to it"
            ) from error

    def release(self) -> None:
        """Give the lock back."""
        self._holder.unlink(missing_ok=True)
        self._lock.release()

    def _held(self, folder: Path) -> KnowledgeBaseLockedError:
        try:
            holder = self._holder.read_text().strip() or "unknown"
        except (OSError, ValueError):
            holder = "unknown"
        if holder == str(os.getpid()):
            return KnowledgeBaseLockedError(
                f"{folder} is open for writing in this process already",
                hint="use that one, or close it first; reading is possible meanwhile",
            )
        return KnowledgeBaseLockedError(
            f"{folder} is being written by process {holder}",
            hint="wait until it is done, or end it; reading is possible meanwhile",
        )


def holds_database(folder: Path) -> bool:
    """Return whether a folder has the file of a knowledge base, whatever is in it."""
    return (folder / DATABASE_NAME).is_file()


def remove_if_empty(folder: Path, *, with_folder: bool) -> None:
    """Remove a knowledge base that holds no document, as far as it can; the caller has closed it.

    Args:
        folder: Its folder; where it holds none, nothing is done.
        with_folder: Whether to remove the folder too.
    """
    # Where the disk failed, that is the error to show, and not that this fails as well.
    with suppress(OSError, sqlite3.Error):
        if holds_database(folder) and not _holds_documents(folder):
            _remove(folder, with_folder=with_folder)


def _holds_documents(folder: Path) -> bool:
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as connection:
        return connection.execute("SELECT 1 FROM documents LIMIT 1").fetchone() is not None


def _remove(folder: Path, *, with_folder: bool) -> None:
    for path in folder.glob(f"{DATABASE_NAME}*"):
        path.unlink(missing_ok=True)
    shutil.rmtree(folder / "cache", ignore_errors=True)
    for path in folder.glob(f"{LOCK_NAME}*"):
        path.unlink(missing_ok=True)
    if with_folder and not any(folder.iterdir()):
        folder.rmdir()


def prepare_folder(folder: Path, *, create: bool) -> None:
    """Check that a folder holds a knowledge base; with `create`, make room for a new one.

    Raises:
        NotAKnowledgeBaseError: If it holds none, or holds other files where one is to be made.
        KnowledgeBaseError: If the folder cannot be read or made.
    """
    try:
        if holds_database(folder):
            return
        if folder.exists() and not folder.is_dir():
            raise not_a_knowledge_base(folder, "it is a file")
        if not create:
            why = "there is no such folder" if not folder.exists() else "it holds no database"
            raise not_a_knowledge_base(folder, why)
        folder.mkdir(parents=True, exist_ok=True)
        own = (LOCK_NAME, NEW_DATABASE, SHARDS_NAME)  # of a creation, or a run, that was cut short
        if any(not path.name.startswith(own) for path in folder.iterdir()):
            raise not_a_knowledge_base(folder, "it holds other files; name a new or empty folder")
    except OSError as error:
        raise KnowledgeBaseError(
            f"{folder}: {error.strerror}", hint="check the path and your rights to it"
        ) from error
