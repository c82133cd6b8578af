"""Bare graphs in columns: as documents give them, and how a large one gets into the tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.text import name_key
from hoptrail.core.types import Entity, Relation
from hoptrail.core.types.graph import Merge
from hoptrail.stores.records.graph_table import insert_graph, names_indexed_at_the_end
from hoptrail.stores.records.stored_values import forget_told
from hoptrail.stores.records.tables import Row, columns_of, insertion, mark_changed

_SEPARATOR = "\0"
_BATCH = 65_536

BulkIds = NDArray[np.bytes_]


@dataclass(frozen=True, slots=True)
class TripleList:
    """The triples of one source.

    `triples` has the columns subject, predicate and object, shape (n, 3): places in `nodes`,
    `predicates` and `nodes`. No row, node or predicate is there twice; no name holds a NUL.
    """

    nodes: list[str]
    predicates: list[str]
    triples: IntArray


def put_triples(
    connection: sqlite3.Connection, doc_id: str, digest: str, triples: TripleList
) -> None:
    """Store the triples that a document states; `digest` tells whether it changed."""
    connection.execute(
        "INSERT OR REPLACE INTO triple_lists VALUES (?, ?, ?, ?, ?)",
        (
            doc_id,
            digest,
            _SEPARATOR.join(triples.nodes).encode(errors="replace"),
            _SEPARATOR.join(triples.predicates).encode(errors="replace"),
            np.ascontiguousarray(triples.triples, dtype="<i4").tobytes(),
        ),
    )
    mark_changed(connection)


def triple_digests(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the digest of each list by document, in order of documents."""
    return dict(connection.execute("SELECT doc_id, digest FROM triple_lists ORDER BY doc_id"))


def iter_triples(connection: sqlite3.Connection) -> Iterator[TripleList]:
    """Yield the lists in order of their documents."""
    rows = connection.execute("SELECT nodes, predicates, triples FROM triple_lists ORDER BY doc_id")
    for nodes, predicates, triples in rows:
        yield TripleList(
            nodes.decode().split(_SEPARATOR),
            predicates.decode().split(_SEPARATOR),
            np.frombuffer(triples, dtype="<i4").astype(np.int32, copy=False).reshape(-1, 3),
        )


@dataclass(frozen=True, slots=True)
class BulkGraph:
    """Nodes and triples without descriptions and passages; no id is there twice.

    Attributes:
        node_ids: Entity ids, shape (n,), 16 hexadecimal digits each.
        names: Name of each node.
        types: Type of each node, "" where none is known.
        predicates: The predicates.
        triples: Subject, predicate and object as places in `node_ids` and `predicates`, (m, 3).
        relation_ids: Relation ids, shape (m,).
        weights: Shape (m,).
    """

    node_ids: BulkIds
    names: list[str]
    types: list[str]
    predicates: list[str]
    triples: IntArray
    relation_ids: BulkIds
    weights: FloatArray


def write_bulk_graph(
    connection: sqlite3.Connection,
    bulk: BulkGraph,
    others: tuple[Collection[Entity], Collection[Relation], Collection[Merge]],
    advance: Callable[[int], None],
) -> None:
    """Make `bulk` and the others the graph; of an id that both have, the others' item counts.

    Args:
        connection: In a transaction.
        bulk: The columns.
        others: Entities, relations and merges that were read from passages.
        advance: Told how many rows were written.
    """
    for table in ("entities", "entity_names", "relations", "merges"):
        connection.execute(f"DELETE FROM {table}")
    with names_indexed_at_the_end(connection):
        _write_all(connection, bulk, others, advance)
    forget_told(connection)


def _write_all(
    connection: sqlite3.Connection,
    bulk: BulkGraph,
    others: tuple[Collection[Entity], Collection[Relation], Collection[Merge]],
    advance: Callable[[int], None],
) -> None:
    insert_graph(connection, *others)
    entities, relations, _ = others
    nodes = _order(bulk.node_ids, {entity.id for entity in entities})
    for rows in _batches(nodes):
        _insert(connection, "entities", _entity_rows(bulk, rows))
        _insert(connection, "entity_names", _name_rows(bulk, rows))
        advance(len(rows))
    edges = _order(bulk.relation_ids, {relation.id for relation in relations})
    for rows in _batches(edges):
        _insert(connection, "relations", _relation_rows(bulk, rows))
        advance(len(rows))


def _order(ids: BulkIds, without: Collection[str]) -> NDArray[np.intp]:
    """Return the places of the ids in their order, so that the tables' keys only grow."""
    order = np.argsort(ids, kind="stable")
    if not without:
        return order
    known = np.array(sorted(without), dtype=ids.dtype)
    return order[~np.isin(ids[order], known)]


def _batches(places: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    for start in range(0, len(places), _BATCH):
        yield places[start : start + _BATCH]


def _entity_rows(bulk: BulkGraph, places: NDArray[np.intp]) -> Iterator[Row]:
    for id_, place in zip(_texts(bulk.node_ids[places]), places.tolist(), strict=True):
        yield id_, bulk.names[place], bulk.types[place], "", ""


def _name_rows(bulk: BulkGraph, places: NDArray[np.intp]) -> Iterator[Row]:
    for id_, place in zip(_texts(bulk.node_ids[places]), places.tolist(), strict=True):
        name = bulk.names[place]
        yield id_, 0, name, name_key(name)


def _relation_rows(bulk: BulkGraph, places: NDArray[np.intp]) -> Iterator[Row]:
    subjects, predicates, objects = bulk.triples[places].T
    columns = zip(
        _texts(bulk.relation_ids[places]),
        _texts(bulk.node_ids[subjects]),
        predicates.tolist(),
        _texts(bulk.node_ids[objects]),
        bulk.weights[places].tolist(),
        strict=True,
    )
    for id_, subject, predicate, target, weight in columns:
        yield id_, subject, bulk.predicates[predicate], target, "", weight, ""


def _texts(ids: BulkIds) -> list[str]:
    texts: list[str] = ids.astype(np.str_).tolist()
    return texts


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
    columns = columns_of(connection.execute(f"SELECT * FROM {table} LIMIT 0"))
    connection.executemany(insertion(table, columns), rows)
