"""Builds the arrays of `GraphIndex` from the tables, or from those of the last generation."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.records.change_table import ListedKind, listed_ids
from hoptrail.stores.records.document_table import SAME_PASSAGE
from hoptrail.stores.snapshot.arrays import Arrays
from hoptrail.stores.snapshot.graph_index import (
    Csr,
    GraphIndex,
    RowMap,
    csr_arrays,
    csr_from_pairs,
    id_array,
    joined_pairs,
    load_csr,
    rows_of,
    transposed,
)

_RELATIONS_BATCH = 65_536
_ROWS = "SELECT id, source, predicate, target, weight FROM relations ORDER BY id"
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

_LISTED = "(SELECT id FROM unpublished WHERE kind = '{}')"
_DOCUMENTS = f"SELECT id FROM documents WHERE id IN {_LISTED.format('document')} ORDER BY id"
_CHUNKS = f"""SELECT id, doc_id, tokens FROM chunks
    WHERE doc_id IN {_LISTED.format("document")}
    AND NOT EXISTS (SELECT 1 FROM replaced_chunks WHERE {SAME_PASSAGE}) ORDER BY id"""
_ENTITIES = f"""SELECT id, chunk_ids, type FROM entities
    WHERE id IN {_LISTED.format("entity")} ORDER BY id"""
_RELATIONS = f"""SELECT id, chunk_ids, source, target, predicate, weight FROM relations
    WHERE id IN {_LISTED.format("relation")} ORDER BY id"""

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class RelationColumns:
    """All relations by id; `source` and `target` are rows of entities, `predicate` of predicates.

    `predicates` are the distinct ones in order.
    """

    ids: IdArray
    predicates: IdArray
    source: IntArray
    predicate: IntArray
    target: IntArray
    weight: FloatArray


def read_relation_columns(connection: sqlite3.Connection, entity_ids: IdArray) -> RelationColumns:
    """Read the relations between the entities of these ids."""
    row_of = {id_: row for row, id_ in enumerate(entity_ids.tolist())}
    codes: dict[str, int] = {}
    source, predicate, target = array("i"), array("i"), array("i")
    weight = array("f")
    ids = [id_array(())]
    rows = connection.execute(_ROWS)
    while batch := rows.fetchmany(_RELATIONS_BATCH):
        columns = tuple(zip(*batch, strict=True))
        ids.append(id_array(columns[0]))
        source.extend(map(row_of.__getitem__, columns[1]))
        predicate.extend([codes.setdefault(name, len(codes)) for name in columns[2]])
        target.extend(map(row_of.__getitem__, columns[3]))
        weight.extend(columns[4])
    predicates, place_of = _in_order(codes, predicate)
    return RelationColumns(
        np.concatenate(ids),
        predicates,
        np.array(source, dtype=np.int32),
        place_of,
        np.array(target, dtype=np.int32),
        np.array(weight, dtype=np.float32),
    )


def _in_order(codes: Mapping[str, int], coded: array[int]) -> tuple[IdArray, IntArray]:
    """Return names in order and the place of each item's, from names numbered as they were met."""
    names = id_array(codes)
    order = np.argsort(names, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return names[order], rank[np.array(coded, dtype=np.int32)]


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
    parts = [id_array(())]
    codes: dict[str, int] = {}
    coded = array("i")
    for batch in _batches(connection.execute("SELECT id, type FROM entities ORDER BY id")):
        parts.append(id_array(row[0] for row in batch))
        coded.extend([codes.setdefault(row[1], len(codes)) for row in batch])
    ids = np.concatenate(parts)
    types, type_of = _in_order(codes, coded)
    matrix = _incidence(connection, "entities", len(ids), chunk_ids)
    return {
        "entity_ids": ids,
        "types": types,
        "entity_type": type_of,
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


@dataclass(frozen=True, slots=True)
class GraphRows:
    """Where the rows of each kind of item go, from the last generation to the next."""

    documents: RowMap
    chunks: RowMap
    entities: RowMap
    relations: RowMap


def extend_graph(
    connection: sqlite3.Connection, known: Arrays, gone_chunks: Sequence[str]
) -> tuple[dict[str, NDArray[Any]], GraphRows]:
    """Return the arrays of the graph by name, as `build_graph_arrays` does, and the moves of rows.

    Args:
        connection: The state to read.
        known: The arrays of the last generation.
        gone_chunks: Ids of those that are gone.
    """
    documents, chunks, entities, relations = (
        connection.execute(query).fetchall()
        for query in (_DOCUMENTS, _CHUNKS, _ENTITIES, _RELATIONS)
    )
    rows = GraphRows(
        _row_map(connection, "document", known["doc_ids"], documents),
        RowMap.of(known["chunk_ids"], _ids(chunks), gone_chunks),
        _row_map(connection, "entity", known["entity_ids"], entities),
        _row_map(connection, "relation", known["relation_ids"], relations),
    )
    arrays: dict[str, NDArray[Any]] = {
        "doc_ids": rows.documents.ids,
        "chunk_ids": rows.chunks.ids,
        "entity_ids": rows.entities.ids,
        "relation_ids": rows.relations.ids,
    }
    arrays |= _chunk_columns(known, rows, chunks)
    arrays |= _named(known, rows.entities, "entity_type", "types", [row[2] for row in entities])
    arrays |= _relation_columns(known, rows, relations)
    arrays |= _incidences(known, rows, "entity_chunks", "chunk_entities", rows.entities, entities)
    arrays |= _incidences(
        known, rows, "relation_chunks", "chunk_relations", rows.relations, relations
    )
    arrays |= _entity_relations(known, rows, arrays)
    return arrays, rows


def _row_map(connection: sqlite3.Connection, kind: ListedKind, ids: IdArray, there: Rows) -> RowMap:
    put = _ids(there)
    return RowMap.of(ids, put, set(listed_ids(connection, kind)).difference(put))


def _chunk_columns(known: Arrays, rows: GraphRows, chunks: Rows) -> dict[str, NDArray[Any]]:
    document = rows.chunks.spread(rows.documents.moved(known["chunk_doc"]))
    tokens = rows.chunks.spread(known["chunk_tokens"])
    document[rows.chunks.put] = rows_of(rows.documents.ids, id_array(row[1] for row in chunks))
    tokens[rows.chunks.put] = [row[2] for row in chunks]
    return {"chunk_doc": document, "chunk_tokens": tokens}


def _relation_columns(known: Arrays, rows: GraphRows, relations: Rows) -> dict[str, NDArray[Any]]:
    put = rows.relations.put
    weight = rows.relations.spread(known["relation_weight"])
    weight[put] = [row[5] for row in relations]
    found: dict[str, NDArray[Any]] = {"relation_weight": weight}
    for place, end in ((2, "source"), (3, "target")):
        column = rows.relations.spread(rows.entities.moved(known[f"relation_{end}"]))
        column[put] = rows_of(rows.entities.ids, id_array(row[place] for row in relations))
        found[f"relation_{end}"] = column
    predicates = [row[4] for row in relations]
    return found | _named(known, rows.relations, "relation_predicate", "predicates", predicates)


def _named(
    known: Arrays, items: RowMap, column: str, names: str, put: Sequence[str]
) -> dict[str, NDArray[Any]]:
    """Return the distinct names that items have one of each, in order, and the place of each's.

    Args:
        known: The arrays before.
        items: Where the rows of items go.
        column: The array of places.
        names: That of the names.
        put: The names of the items that are new or differ.
    """
    every = RowMap.of(known[names], put)
    places = items.spread(every.moved(known[column]))
    places[items.put] = rows_of(every.ids, id_array(put))
    used = np.bincount(places, minlength=len(every.ids)) > 0
    rank = (np.cumsum(used) - 1).astype(np.int32)
    return {names: every.ids[used], column: rank[places]}


def _incidences(
    known: Arrays, rows: GraphRows, name: str, transposed: str, items: RowMap, listed: Rows
) -> dict[str, NDArray[Any]]:
    """Return which items stand in which chunks, and the transpose."""
    lists = [row[1].split() for row in listed]
    item = np.repeat(items.put, [len(ids) for ids in lists])
    chunk = rows_of(rows.chunks.ids, id_array(id_ for ids in lists for id_ in ids))
    item, chunk = item[chunk >= 0], chunk[chunk >= 0]
    along = joined_pairs(load_csr(known, name), items, rows.chunks, (item, chunk), stale_rows=True)
    across = joined_pairs(
        load_csr(known, transposed), rows.chunks, items, (chunk, item), stale_columns=True
    )
    return {**csr_arrays(name, along), **csr_arrays(transposed, across)}


def _entity_relations(known: Arrays, rows: GraphRows, arrays: Arrays) -> dict[str, NDArray[Any]]:
    put = rows.relations.put
    source, target = arrays["relation_source"][put], arrays["relation_target"][put]
    is_loop = source == target
    ends = np.concatenate((source, target[~is_loop]))
    pairs: tuple[IntArray, IntArray] = (ends, np.concatenate((put, put[~is_loop])))
    matrix = load_csr(known, "entity_relations")
    joined = joined_pairs(matrix, rows.entities, rows.relations, pairs, stale_columns=True)
    return csr_arrays("entity_relations", joined)


def _ids(rows: Rows) -> list[str]:
    return [row[0] for row in rows]
