"""The table of relations as columns of numbers."""

from __future__ import annotations

import sqlite3
from array import array
from dataclasses import dataclass

import numpy as np

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.snapshot.arrays import id_array

_BATCH = 65_536
_ROWS = "SELECT id, source, predicate, target, weight FROM relations ORDER BY id"


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
    while batch := rows.fetchmany(_BATCH):
        columns = tuple(zip(*batch, strict=True))
        ids.append(id_array(columns[0]))
        source.extend(map(row_of.__getitem__, columns[1]))
        predicate.extend([codes.setdefault(name, len(codes)) for name in columns[2]])
        target.extend(map(row_of.__getitem__, columns[3]))
        weight.extend(columns[4])
    predicates = id_array(codes)
    order = np.argsort(predicates, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return RelationColumns(
        np.concatenate(ids),
        predicates[order],
        np.array(source, dtype=np.int32),
        rank[np.array(predicate, dtype=np.int32)],
        np.array(target, dtype=np.int32),
        np.array(weight, dtype=np.float32),
    )
