"""Conversations kept in a SQLite file beside a knowledge base, or in a PostgreSQL database."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoptrail.core.errors import (
    HoptrailError,
    KnowledgeBaseError,
    KnowledgeBaseLockedError,
    StoreError,
    ThreadBusyError,
)
from hoptrail.core.optional import require

if TYPE_CHECKING:
    from filelock import AsyncFileLock
    from langgraph.checkpoint.base import BaseCheckpointSaver

_SQLITE_LATEST = (
    "SELECT thread_id FROM checkpoints WHERE checkpoint_ns = '' GROUP BY thread_id"
    " ORDER BY max(checkpoint_id) DESC"
)
_BUSY_SECONDS = 30.0
_SQLITE_STORED = (("checkpoints", "checkpoint"), ("writes", "value"))
_POSTGRES_LATEST = (
    "SELECT thread_id FROM checkpoints WHERE checkpoint_ns = '' AND starts_with(thread_id, %s)"
    " GROUP BY thread_id ORDER BY max(checkpoint_id) DESC"
)
_POSTGRES_STORED = ("checkpoint_blobs", "checkpoint_writes")
_SETUP_LOCK = 7_041_776  # any number that others do not use
_SETUP_PAUSE_SECONDS = 0.05
_CONNECT_SECONDS = 10


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
            return [row[0] for row in cursor.execute(_SQLITE_LATEST)]

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
                for table, column in _SQLITE_STORED:
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


class PostgresConversations:
    """Keeps conversations in a PostgreSQL database, through `langgraph-checkpoint-postgres`.

    A turn has a connection of its own, which also holds the lock of its thread: when the process
    dies, the server lets go of both.

    Args:
        address: `postgresql://USER:PASSWORD@HOST/DATABASE`.
        name: Threads of other names in the same database are not seen.

    Raises:
        MissingExtraError: If the packages are not installed.
    """

    def __init__(self, address: str, name: str) -> None:
        require("langgraph.checkpoint.postgres", extra="postgres", purpose="this checkpointer")
        self._address = address
        self._prefix = f"{name}/"
        self._has_tables = False

    @asynccontextmanager
    async def open_turn(
        self, thread_id: str, *, wait_seconds: float
    ) -> AsyncIterator[BaseCheckpointSaver[Any]]:
        """Yield what stores a turn of a thread; see `Conversations`."""
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
        from psycopg import AsyncConnection
        from psycopg.errors import LockNotAvailable
        from psycopg.rows import dict_row

        rows: Any = dict_row
        await asyncio.to_thread(self._make_tables)
        with postgres_told():
            connection: AsyncConnection[Any] = await AsyncConnection.connect(
                self._address,
                autocommit=True,
                prepare_threshold=0,
                row_factory=rows,
                connect_timeout=_CONNECT_SECONDS,
            )
        async with connection:
            await connection.execute(
                "SELECT set_config('lock_timeout', %s, false)",
                (f"{max(1, int(wait_seconds * 1000))}ms",),
            )
            try:
                await connection.execute(
                    "SELECT pg_advisory_lock(hashtextextended(%s, 0))", (self._prefix + thread_id,)
                )
            except LockNotAvailable as error:
                raise ThreadBusyError(
                    f"thread {thread_id!r} is still answering another question",
                    hint="wait until it is done, or use another thread",
                ) from error
            with postgres_told():
                yield AsyncPostgresSaver(connection)

    @contextmanager
    def open_for_reading(self) -> Iterator[BaseCheckpointSaver[Any] | None]:
        """Yield what reads the turns."""
        from langgraph.checkpoint.postgres import PostgresSaver

        self._make_tables()
        with postgres_told(), PostgresSaver.from_conn_string(self._address) as saver:
            yield saver

    def thread_ids(self, saver: Any) -> list[str]:
        """Return the ids of all threads of this name, the latest first."""
        with saver.conn.cursor() as cursor:
            rows = cursor.execute(_POSTGRES_LATEST, (self._prefix,)).fetchall()
        return [row["thread_id"].removeprefix(self._prefix) for row in rows]

    def config(self, thread_id: str) -> Any:
        """Return the LangGraph configuration that names a thread."""
        return {"configurable": {"thread_id": self._prefix + thread_id}}

    def forget_quotes(self, doc_ids: Iterable[str]) -> None:
        """Write "deleted" wherever turns quote these documents; see `Conversations`."""
        import psycopg
        from psycopg.sql import SQL, Identifier

        from hoptrail.api.deleted_quotes import StoredValue, cleaned_values

        self._make_tables()
        with postgres_told(), psycopg.connect(self._address) as connection:

            def values() -> Iterator[StoredValue]:
                found = SQL("SELECT ctid, type, blob FROM {} WHERE starts_with(thread_id, %s)")
                for table in _POSTGRES_STORED:
                    query = found.format(Identifier(table))
                    for row in connection.execute(query, (self._prefix,)):
                        yield (table, row[0]), *row[1:]

            change = SQL("UPDATE {} SET type = %s, blob = %s WHERE ctid = %s")
            for (table, row), kind, blob in cleaned_values(values, frozenset(doc_ids)):
                connection.execute(change.format(Identifier(table)), (kind, blob, row))

    def load(self) -> None:
        """Import what stores the turns, which takes a while."""
        import_module("langgraph.checkpoint.postgres.aio")

    def _make_tables(self) -> None:
        if self._has_tables:
            return
        from langgraph.checkpoint.postgres import PostgresSaver

        with setup_lock(self._address), PostgresSaver.from_conn_string(self._address) as saver:
            saver.setup()
        self._has_tables = True


@contextmanager
def setup_lock(address: str) -> Iterator[None]:
    """Hold the lock under which tables are made: two processes would wait for each other.

    It is asked for again and again: the making of an index waits for every statement that was begun
    before, so for one that waited for the lock as well.

    Raises:
        StoreError: If the database cannot be reached.
    """
    import psycopg

    with (
        postgres_told(),
        psycopg.connect(address, autocommit=True, connect_timeout=_CONNECT_SECONDS) as guard,
    ):
        attempt = "SELECT pg_try_advisory_lock(%s)"
        while guard.execute(attempt, (_SETUP_LOCK,)).fetchone() != (True,):
            time.sleep(_SETUP_PAUSE_SECONDS)
        yield


@contextmanager
def postgres_told() -> Iterator[None]:
    """Turn the database's errors into one line without the address, which holds a password."""
    import psycopg

    try:
        yield
    except HoptrailError:
        raise
    except psycopg.Error as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise StoreError(
            f"the database of the conversations: {reason}",
            hint="check the setting checkpointer, and that the server runs",
        ) from error
