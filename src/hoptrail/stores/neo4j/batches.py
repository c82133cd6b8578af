"""Batches of rows for a statement, each in a transaction that keeps the writer's lease."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from hoptrail.stores.neo4j.connection import Connection, run
from hoptrail.stores.neo4j.lease import Lease
from hoptrail.stores.neo4j.names import Space
from hoptrail.stores.neo4j.statements import in_space

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

T = TypeVar("T")

NODES_A_BATCH = 2_000  # with texts and vectors
EDGES_A_BATCH = 10_000


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of at most `size` items."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


class _Sent(list[Any]):
    """Rows that are not printed: the driver prints each parameter for a log that nobody reads."""

    def __repr__(self) -> str:
        return f"[{len(self)} rows]"


class SpaceWriter:
    """Runs statements on a space under a lease, all in one transaction or each in its own.

    Args:
        connection: To the server.
        lease: The writer's.
        space: What `S_` stands for.
        parameters: Given to each statement.
        transaction: The one to write in; None: each batch gets its own.
    """

    def __init__(
        self,
        connection: Connection,
        lease: Lease,
        space: Space,
        parameters: dict[str, Any],
        transaction: ManagedTransaction | None = None,
    ) -> None:
        self._connection = connection
        self._lease = lease
        self.space = space
        self._parameters = parameters
        self._transaction = transaction

    def write(self, statement: str, rows: Sequence[Any] | None = None, **more: Any) -> list[Any]:
        """Run one statement with rows and return what it returns; no rows at all, no statement."""
        if rows is not None and not rows:
            return []
        text = in_space(statement, self.space)
        sent = None if rows is None else _Sent(rows)
        parameters = {**self._parameters, "rows": sent, **more}
        if self._transaction is not None:
            return run(self._transaction, text, parameters).data()

        def work(transaction: ManagedTransaction) -> list[Any]:
            self._lease.keep(transaction)
            return run(transaction, text, parameters).data()

        return self._connection.writing(work)

    def write_all(self, statement: str, rows: Iterable[Any], size: int = EDGES_A_BATCH) -> None:
        """Run a statement with batches of the rows."""
        for batch in batches(rows, size):
            self.write(statement, batch)

    def repeat(self, statement: str, limit: int = EDGES_A_BATCH, **more: Any) -> None:
        """Run a statement that drops at most `limit` rows until it drops none."""
        while any(row["dropped"] for row in self.write(statement, limit=limit, **more)):
            pass
