"""Writes into a space: its constraints and indexes, and rows in batches under the lease."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hoptrail.core.errors import StoreError
from hoptrail.core.types import Chunk, Community, Entity, Relation
from hoptrail.stores.neo4j import statements
from hoptrail.stores.neo4j.connection import Connection, run
from hoptrail.stores.neo4j.pointer import Lease
from hoptrail.stores.neo4j.rows import (
    MOST_TYPES,
    Space,
    edge_row,
    node_rows,
    vectors_of,
)
from hoptrail.stores.neo4j.statements import in_space
from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.records.stored_values import text_hash
from hoptrail.stores.records.tables import batches
from hoptrail.stores.serving import BaseDescription, Rows

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

Row = dict[str, Any]

NODES_A_BATCH = 2_000  # with texts and vectors
EDGES_A_BATCH = 10_000
_POLL_SECONDS = 0.2


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

    def write_all(self, statement: str, rows: Iterable[Any]) -> None:
        """Run a statement with batches of the rows."""
        for batch in batches(rows, EDGES_A_BATCH):
            self.write(statement, batch)

    def repeat(self, statement: str, limit: int = EDGES_A_BATCH, **more: Any) -> None:
        """Run a statement that drops at most `limit` rows until it drops none."""
        while any(row["dropped"] for row in self.write(statement, limit=limit, **more)):
            pass


def write_nodes(
    writer: SpaceWriter, kind: ItemKind, rows: Rows, kb: str, statement: str, *, public: bool = True
) -> None:
    """Write items of a kind, but relations, with their vectors."""
    nodes = node_rows(kind, rows, kb)
    if not public:
        for node in nodes:
            del node["properties"]["id"]
    label = kind.capitalize()
    writer.write(statement % label, nodes, label=writer.space.label(kind))


def write_places(writer: SpaceWriter, chunks: Sequence[Chunk]) -> None:
    """Join chunks to their documents."""
    rows = [{"item_id": chunk.id, "doc_id": chunk.doc_id} for chunk in chunks]
    writer.write(statements.PUT_PLACES, rows)


def write_order(writer: SpaceWriter, doc_ids: Iterable[str]) -> None:
    """Number the chunks of documents and join each to the next."""
    for batch in batches(doc_ids, NODES_A_BATCH):
        writer.write(statements.DROP_ORDER, batch)
        writer.write(statements.PUT_ORDER, batch)


def mentions(entities: Sequence[Entity]) -> Iterator[Row]:
    """Yield each pair of entity and chunk."""
    for entity in entities:
        for chunk_id in entity.chunk_ids:
            yield {"owner": entity.id, "member": chunk_id}


def members(communities: Sequence[Community]) -> Iterator[Row]:
    """Yield each pair of a community and an entity that no child of it has."""
    for community in communities:
        for entity_id in community.entity_ids:
            yield {"owner": community.id, "member": entity_id}


def write_relations(writer: SpaceWriter, rows: Rows, kb: str, base: BaseDescription) -> None:
    """Write relations as relationships."""
    typed = base.predicates <= MOST_TYPES
    edges = [edge_row(relation, kb, typed=typed) for relation in rows.items]
    edges.sort(key=lambda edge: str(edge["target"]))  # both ends are locked
    writer.write(statements.CREATE_RELATIONS, edges)


def write_relation_nodes(
    writer: SpaceWriter, rows: Rows, kb: str, statement: str, known: set[str]
) -> None:
    """Write the nodes by which relations are found: one each, or one for all of a bare predicate.

    Args:
        writer: Writes.
        rows: Relations.
        kb: The base's name on the server.
        statement: Writes nodes.
        known: Bare predicates that were written; those that are new are added.
    """
    told = [place for place, relation in enumerate(rows.items) if not relation.is_bare]
    some = Rows([rows.items[place] for place in told], rows.vectors[told])
    nodes = [
        _relation_node(relation, kb, vector)
        for relation, vector in zip(some.items, vectors_of(some), strict=True)
    ]
    writer.write(statement % "Relation", nodes, label=writer.space.label("relation"))
    new = {
        relation.predicate: place
        for place, relation in enumerate(rows.items)
        if relation.is_bare and relation.predicate not in known
    }
    known.update(new)
    places = list(new.values())
    vectors = vectors_of(Rows([rows.items[place] for place in places], rows.vectors[places]))
    # The hash of a predicate is short enough for an index, as long as the predicate may be.
    predicates = [
        {"item_id": text_hash(one), "predicate": one, "vector": vector}
        for one, vector in zip(new, vectors, strict=True)
    ]
    writer.write(statements.PUT_PREDICATES, predicates)


def parents(communities: Sequence[Community]) -> list[Row]:
    """Return each community with the one above it, None for the coarsest."""
    return [{"item_id": one.id, "parent": one.parent} for one in communities]


def _relation_node(relation: Relation, kb: str, vector: list[float] | None) -> Row:
    ends = {"source": relation.source, "target": relation.target}
    properties = {"item_id": relation.id, "kb": kb, "predicate": relation.predicate, **ends}
    return {"item_id": relation.id, "labels": [], "properties": properties, "vector": vector}


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
