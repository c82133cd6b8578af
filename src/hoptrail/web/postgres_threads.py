"""LangGraph's store in PostgreSQL, for the list of threads that several processes share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from hoptrail.api.postgres_conversations import postgres_told, setup_lock
from hoptrail.core.optional import require

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore
    from langgraph.store.postgres.base import PoolConfig

_MOST_CONNECTIONS = 4


@asynccontextmanager
async def open_postgres_store(address: str) -> AsyncIterator[BaseStore]:
    """Yield the store of a database; its tables are made where they are missing.

    Args:
        address: `postgresql://USER:PASSWORD@HOST/DATABASE`.

    Raises:
        KnowledgeBaseError: If the database cannot be reached.
        MissingExtraError: If the packages for PostgreSQL are not installed.
    """
    require("langgraph.store.postgres", extra="postgres", purpose="this checkpointer")
    from langgraph.store.postgres import PostgresStore
    from langgraph.store.postgres.aio import AsyncPostgresStore

    with setup_lock(address), PostgresStore.from_conn_string(address) as store:
        store.setup()
    pool: PoolConfig = {"min_size": 1, "max_size": _MOST_CONNECTIONS}
    with postgres_told():
        async with AsyncPostgresStore.from_conn_string(address, pool_config=pool) as opened:
            yield opened
