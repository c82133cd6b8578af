"""Conversations kept in a PostgreSQL database, which several processes may share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hoptrail.core.errors import HoptrailError, KnowledgeBaseError, ThreadBusyError
from hoptrail.core.optional import require

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

_LATEST = (
    "SELECT thread_id FROM checkpoints WHERE checkpoint_ns = '' AND starts_with(thread_id, %s)"
    " GROUP BY thread_id ORDER BY max(checkpoint_id) DESC"
)
_STORED = ("checkpoint_blobs", "checkpoint_writes")
_SETUP_LOCK = 7_041_776  # any number that others do not use
_CONNECT_SECONDS = 10


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
        from psycopg.rows import DictRow, dict_row

        rows: Any = dict_row
        await asyncio.to_thread(self._make_tables)
        with postgres_told():
            connection: AsyncConnection[DictRow] = await AsyncConnection.connect(
                self._address,
                autocommit=True,
                prepare_threshold=0,
                row_factory=rows,
                connect_timeout=_CONNECT_SECONDS,
            )
        async with connection:
            await connection.execute(
                "SELECT set_config('lock_timeout', %s, false)", (f"{int(wait_seconds * 1000)}ms",)
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
            rows = cursor.execute(_LATEST, (self._prefix,)).fetchall()
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
                for table in _STORED:
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

    Raises:
        KnowledgeBaseError: If the database cannot be reached.
    """
    import psycopg

    with postgres_told(), psycopg.connect(address, connect_timeout=_CONNECT_SECONDS) as guard:
        guard.execute("SELECT pg_advisory_lock(%s)", (_SETUP_LOCK,))
        guard.commit()  # an open transaction would hold up the making of indexes
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
        raise KnowledgeBaseError(
            f"the database of the conversations: {reason}",
            hint="check the setting checkpointer, and that the server runs",
        ) from error
