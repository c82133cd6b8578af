"""The arrays of `GraphIndex` with what came and went since, from those of the last generation."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import IdArray, IntArray
from hoptrail.stores.records.unpublished_table import ListedKind, listed_ids
from hoptrail.stores.snapshot.arrays import Arrays, csr_arrays, id_array, load_csr
from hoptrail.stores.snapshot.graph_index import rows_of
from hoptrail.stores.snapshot.row_map import RowMap, joined_pairs

_LISTED = "(SELECT id FROM unpublished WHERE kind = '{}')"
_DOCUMENTS = f"SELECT id FROM documents WHERE id IN {_LISTED.format('document')} ORDER BY id"
_CHUNKS = f"""SELECT id, doc_id, tokens FROM chunks
    WHERE doc_id IN {_LISTED.format("document")} ORDER BY id"""
_ENTITIES = f"""SELECT id, chunk_ids FROM entities
    WHERE id IN {_LISTED.format("entity")} ORDER BY id"""
_RELATIONS = f"""SELECT id, chunk_ids, source, target, predicate, weight FROM relations
    WHERE id IN {_LISTED.format("relation")} ORDER BY id"""

Rows = list[tuple[Any, ...]]


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
    predicates = RowMap.of(known["predicates"], [row[4] for row in relations])
    predicate = rows.relations.spread(predicates.moved(known["relation_predicate"]))
    predicate[put] = rows_of(predicates.ids, id_array(row[4] for row in relations))
    weight = rows.relations.spread(known["relation_weight"])
    weight[put] = [row[5] for row in relations]
    found: dict[str, NDArray[Any]] = {"relation_weight": weight}
    for place, end in ((2, "source"), (3, "target")):
        column = rows.relations.spread(rows.entities.moved(known[f"relation_{end}"]))
        column[put] = rows_of(rows.entities.ids, id_array(row[place] for row in relations))
        found[f"relation_{end}"] = column
    used = np.bincount(predicate, minlength=len(predicates.ids)) > 0
    rank = (np.cumsum(used) - 1).astype(np.int32)
    return {**found, "predicates": predicates.ids[used], "relation_predicate": rank[predicate]}


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
