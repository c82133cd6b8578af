"""Making and dropping the constraints and indexes of a space, and waiting until they are filled."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hoptrail.core.errors import StoreError
from hoptrail.stores.neo4j import statements
from hoptrail.stores.neo4j.connection import Connection, run
from hoptrail.stores.neo4j.lease import Lease
from hoptrail.stores.neo4j.names import Space

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

_POLL_SECONDS = 0.2


def make_shared_schema(connection: Connection) -> None:
    """Make what all bases of a database share, where it is not there."""
    _run(connection, statements.SHARED_SCHEMA)


def make_keys(connection: Connection, space: Space) -> None:
    """Make what rows of a space are found by while they are written."""
    _run(connection, [statements.in_space(one, space) for one in statements.SPACE_SCHEMA])


def make_searches(connection: Connection, space: Space, dim: int) -> None:
    """Make the full-text indexes of a space, and those of vectors where it has vectors."""
    wanted = [*statements.SEARCH_SCHEMA, *(statements.vector_schema(dim) if dim else ())]
    _run(connection, [statements.in_space(one, space) for one in wanted])


def lacking_indexes(connection: Connection, space: Space, dim: int) -> str:
    """Return in words which index of a space is not there or not filled; "" where all are."""
    states = _index_states(connection, space)
    for name in map(space.index, statements.indexes(dim)):
        if name not in states:
            return f"the index {name} was not there"
        if states[name] != "ONLINE":
            return f"the index {name} was not filled"
    return ""


def complete_indexes(connection: Connection, lease: Lease, space: Space, dim: int) -> None:
    """Make the indexes of a space that somebody dropped, and wait until all are filled.

    Raises:
        StoreError: If one cannot be filled.
    """
    if lacking_indexes(connection, space, dim):
        make_keys(connection, space)
        make_searches(connection, space, dim)
        await_indexes(connection, lease, space)


def await_indexes(connection: Connection, lease: Lease, space: Space) -> None:
    """Wait until the indexes of a space hold all its rows; the lease is kept meanwhile.

    Raises:
        StoreError: If one cannot be filled.
    """
    while True:
        states = _index_states(connection, space)
        failed = sorted(name for name, state in states.items() if state == "FAILED")
        if failed:
            raise StoreError(
                f"{connection.address}: the index {failed[0]} cannot be filled",
                hint="see the server's log, neo4j.log: memory or disk space may be short",
            )
        if all(state == "ONLINE" for state in states.values()):
            return
        connection.writing(lease.keep)
        time.sleep(_POLL_SECONDS)


def _index_states(connection: Connection, space: Space) -> dict[str, str]:
    names = [space.index(name) for name in (*statements.CONSTRAINTS, *statements.INDEXES)]
    rows = connection.read(statements.INDEX_STATES, names=names)
    return {row["name"]: row["state"] for row in rows}


def drop_schema(connection: Connection, space: Space) -> None:
    """Drop all constraints and indexes of a space."""
    wanted = [statements.DROP_INDEX % name for name in statements.INDEXES]
    wanted += [statements.DROP_CONSTRAINT % name for name in statements.CONSTRAINTS]
    _run(connection, [statements.in_space(one, space) for one in wanted])


def _run(connection: Connection, wanted: Sequence[str]) -> None:
    """Run statements on the schema in one transaction, which can hold nothing else."""

    def work(transaction: ManagedTransaction) -> None:
        for statement in wanted:
            run(transaction, statement).consume()

    connection.writing(work)
