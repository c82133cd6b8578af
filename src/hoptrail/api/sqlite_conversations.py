"""Conversations kept beside a knowledge base in a SQLite file, one turn at a time."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoptrail.core.errors import KnowledgeBaseError, KnowledgeBaseLockedError, ThreadBusyError

if TYPE_CHECKING:
    from filelock import AsyncFileLock
    from langgraph.checkpoint.base import BaseCheckpointSaver

_LATEST = (
    "SELECT thread_id FROM checkpoints WHERE checkpoint_ns = '' GROUP BY thread_id"
    " ORDER BY max(checkpoint_id) DESC"
)
_BUSY_SECONDS = 30.0
_STORED = (("checkpoints", "checkpoint"), ("writes", "value"))


class _TurnConnection(sqlite3.Connection):
    """A connection that gives up what was not committed when it is closed.

    A stopped turn may leave a write unfinished, and SQLite keeps a closed connection, with what it
    locks, until the last cursor of it is collected.
    """

    def close(self) -> None:
        """Roll back, then close."""
        self.rollback()
        super().close()


class SqliteConversations:
    """Keeps conversations in one SQLite file.

    Args:
        path: The file; the first turn makes it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @asynccontextmanager
    async def open_turn(
        self, thread_id: str, *, wait_seconds: float
    ) -> AsyncIterator[BaseCheckpointSaver[Any]]:
        """Yield what stores a turn of a thread; see `Conversations`."""
        import aiosqlite
        from filelock import Timeout
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

        try:
            lock = await asyncio.to_thread(self._lock_of, thread_id)
            await lock.acquire(timeout=wait_seconds)
        except Timeout as error:
            raise ThreadBusyError(
                f"thread {thread_id!r} is still answering another question",
                hint="wait until it is done, or use another thread",
            ) from error
        except OSError as error:
            raise self._cannot_keep(error.strerror or str(error)) from error
        try:
            await asyncio.to_thread(self._try_to_open)
            # Turns of many threads write at once: SQLite lets one at a time.
            async with aiosqlite.connect(
                self._path, timeout=_BUSY_SECONDS, factory=_TurnConnection
            ) as connection:
                yield AsyncSqliteSaver(connection)
        except sqlite3.DatabaseError as error:
            raise self._cannot_keep(str(error)) from error
        finally:
            await lock.release()

    @contextmanager
    def open_for_reading(self) -> Iterator[BaseCheckpointSaver[Any] | None]:
        """Yield what reads the file; None where there is no file, for opening it would make one."""
        if not self._path.exists():
            yield None
            return
        from langgraph.checkpoint.sqlite import SqliteSaver

        try:
            with SqliteSaver.from_conn_string(str(self._path)) as saver:
                yield saver
        # What is decoded of a damaged file is a value that cannot be.
        except (sqlite3.DatabaseError, ValueError) as error:
            raise KnowledgeBaseError(
                f"{self._path} cannot be read: {error}",
                hint="check your rights; a damaged file can be put away, and conversations begin "
                "anew",
            ) from error

    def thread_ids(self, saver: Any) -> list[str]:
        """Return the ids of all threads, the latest first."""
        with saver.cursor(transaction=False) as cursor:
            return [row[0] for row in cursor.execute(_LATEST)]

    def config(self, thread_id: str) -> Any:
        """Return the LangGraph configuration that names a thread."""
        return {"configurable": {"thread_id": thread_id}}

    def forget_quotes(self, doc_ids: Iterable[str]) -> None:
        """Write "deleted" wherever turns quote these documents; see `Conversations`."""
        if not self._path.exists():
            return
        try:
            self._rewrite(frozenset(doc_ids))
        except (sqlite3.DatabaseError, ValueError) as error:
            raise KnowledgeBaseLockedError(
                f"the documents are deleted, but {self._path} may still quote them: {error}",
                hint="end the program that has it open, and remove the file if need be",
            ) from error

    def load(self) -> None:
        """Import what stores the turns, which takes a while."""
        import_module("langgraph.checkpoint.sqlite.aio")

    def _try_to_open(self) -> None:
        """Open and close the file.

        Where that fails, aiosqlite would leave a thread behind that may outlive the event loop.
        """
        sqlite3.connect(self._path, timeout=_BUSY_SECONDS).close()

    def _cannot_keep(self, reason: str) -> KnowledgeBaseError:
        return KnowledgeBaseError(
            f"conversations cannot be kept in {self._path.parent}: {reason}",
            hint="check your rights and the free space, and put a damaged file away; a question "
            "that is no part of a conversation (hoptrail ask) needs none",
        )

    def _lock_of(self, thread_id: str) -> AsyncFileLock:
        # A file per thread: two turns of different threads never wait for each other.
        from filelock import AsyncFileLock

        folder = self._path.with_suffix(".locks")
        folder.mkdir(exist_ok=True)
        return AsyncFileLock(folder / f"{sha256(thread_id.encode()).hexdigest()[:16]}.lock")

    def _rewrite(self, gone: frozenset[str]) -> None:
        from hoptrail.api.deleted_quotes import StoredValue, cleaned_values

        with closing(
            sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)
        ) as file:
            file.execute("PRAGMA secure_delete = ON")
            file.execute("BEGIN IMMEDIATE")
            tables = {name for (name,) in file.execute("SELECT name FROM sqlite_master")}

            def values() -> Iterator[StoredValue]:
                for table, column in _STORED:
                    if table in tables:
                        rows = file.execute(f"SELECT rowid, type, {column} FROM {table}")
                        yield from (
                            ((table, column, row), kind, value) for row, kind, value in rows
                        )

            for (table, column, row), kind, value in cleaned_values(values, gone):
                file.execute(
                    f"UPDATE {table} SET type = ?, {column} = ? WHERE rowid = ?", (kind, value, row)
                )
            file.execute("COMMIT")
            # What was overwritten still stands in the log until that is written back.
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
