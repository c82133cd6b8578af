"""Builds the arrays of `GraphIndex` from the tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import fields
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import IdArray, IntArray
from hoptrail.stores.snapshot.arrays import (
    Arrays,
    csr_arrays,
    csr_from_pairs,
    id_array,
    load_csr,
    transposed,
)
from hoptrail.stores.snapshot.graph_index import Csr, GraphIndex, rows_of
from hoptrail.stores.snapshot.relation_columns import read_relation_columns

_BATCH = 8192
_MATRICES = frozenset(
    {
        "entity_relations",
        "entity_chunks",
        "chunk_entities",
        "relation_chunks",
        "chunk_relations",
    }
)


def build_graph_arrays(connection: sqlite3.Connection) -> dict[str, NDArray[Any]]:
    """Return the arrays of the graph by name, as `load_graph_index` takes them."""
    doc_ids = id_array(row[0] for row in connection.execute("SELECT id FROM documents ORDER BY id"))
    arrays = {"doc_ids": doc_ids}
    arrays |= _chunk_arrays(connection, doc_ids)
    chunk_ids = arrays["chunk_ids"]
    arrays |= _entity_arrays(connection, chunk_ids)
    arrays |= _relation_arrays(connection, chunk_ids, arrays["entity_ids"])
    return arrays


def load_graph_index(arrays: Arrays, generation: int) -> GraphIndex:
    """Return the index over loaded arrays."""
    values: dict[str, Any] = {
        field.name: load_csr(arrays, field.name) if field.name in _MATRICES else arrays[field.name]
        for field in fields(GraphIndex)
        if field.name != "generation"
    }
    return GraphIndex(generation=generation, **values)


def _chunk_arrays(connection: sqlite3.Connection, doc_ids: IdArray) -> dict[str, NDArray[Any]]:
    columns = _Columns("SELECT id, doc_id, tokens FROM chunks ORDER BY id", (str, str, int))
    ids, documents, tokens = columns.read(connection)
    return {
        "chunk_ids": ids,
        "chunk_doc": rows_of(doc_ids, documents),
        "chunk_tokens": tokens,
    }


def _entity_arrays(connection: sqlite3.Connection, chunk_ids: IdArray) -> dict[str, NDArray[Any]]:
    (ids,) = _Columns("SELECT id FROM entities ORDER BY id", (str,)).read(connection)
    matrix = _incidence(connection, "entities", len(ids), chunk_ids)
    return {
        "entity_ids": ids,
        **csr_arrays("entity_chunks", matrix),
        **csr_arrays("chunk_entities", transposed(matrix, len(chunk_ids))),
    }


def _relation_arrays(
    connection: sqlite3.Connection, chunk_ids: IdArray, entity_ids: IdArray
) -> dict[str, NDArray[Any]]:
    columns = read_relation_columns(connection, entity_ids)
    places = np.arange(len(columns.ids), dtype=np.int32)
    incident = csr_from_pairs(
        np.concatenate((columns.source, columns.target)),
        np.concatenate((places, places)),
        len(entity_ids),
    )
    matrix = _incidence(connection, "relations", len(columns.ids), chunk_ids)
    return {
        "relation_ids": columns.ids,
        "predicates": columns.predicates,
        "relation_source": columns.source,
        "relation_target": columns.target,
        "relation_predicate": columns.predicate,
        "relation_weight": columns.weight,
        **csr_arrays("entity_relations", incident),
        **csr_arrays("relation_chunks", matrix),
        **csr_arrays("chunk_relations", transposed(matrix, len(chunk_ids))),
    }


def _incidence(connection: sqlite3.Connection, table: str, items: int, chunk_ids: IdArray) -> Csr:
    """Return which item of a table, all of them by id, stands in which chunk."""
    row_of = {id_: row for row, id_ in enumerate(chunk_ids.tolist())}
    counts: list[IntArray] = [np.zeros(0, dtype=np.int32)]
    columns: list[IntArray] = [np.zeros(0, dtype=np.int32)]
    for batch in _batches(connection.execute(f"SELECT chunk_ids FROM {table} ORDER BY id")):
        lists = [listed.split() for (listed,) in batch]
        counts.append(np.array([len(listed) for listed in lists], dtype=np.int32))
        rows_listed = map(row_of.get, chain.from_iterable(lists), repeat(-1))
        columns.append(np.fromiter(rows_listed, dtype=np.int32))
    rows = np.repeat(np.arange(items, dtype=np.int32), np.concatenate(counts))
    return csr_from_pairs(rows, np.concatenate(columns), items)


class _Columns:
    """The columns of a query as arrays, read in batches so that no list of all rows exists."""

    _DTYPES: dict[type, Any] = {str: np.str_, int: np.int32}

    def __init__(self, query: str, types: tuple[type, ...]) -> None:
        self._query = query
        self._types = types

    def read(self, connection: sqlite3.Connection) -> list[NDArray[Any]]:
        parts: list[list[NDArray[Any]]] = [
            [np.zeros(0, dtype="<U1" if type_ is str else self._DTYPES[type_])]
            for type_ in self._types
        ]
        for batch in _batches(connection.execute(self._query)):
            for place, values in enumerate(zip(*batch, strict=True)):
                parts[place].append(np.array(values, dtype=self._DTYPES[self._types[place]]))
        return [np.concatenate(part) for part in parts]


def _batches(cursor: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    while batch := cursor.fetchmany(_BATCH):
        yield batch
