"""The record that a later clustering goes on from: the cluster of every entity at that time."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray

_SEPARATOR = "\0"


@dataclass(frozen=True, slots=True)
class ClusteringRecord:
    """A tree of clusters; an entity that is gone keeps its place, should it come back.

    Attributes:
        content: Hash of the graph and the communities that were made of it.
        seed: Seed of the clustering.
        entity_ids: Shape (n,).
        cluster_of: Finest cluster of each entity, shape (n,), -1 for one that is left out until
            its degree changes.
        degrees: Degree of each entity when the whole graph was clustered, shape (n,); 0 if it
            came later.
        parent: Cluster that each cluster is part of, shape (clusters,), -1 on the coarsest level.
        whole_up_to: How many entities each cluster may have undivided, shape (clusters,).
        least: Fewest entities of a community.
    """

    content: str
    seed: int
    entity_ids: list[str]
    cluster_of: IntArray
    degrees: FloatArray
    parent: IntArray
    whole_up_to: IntArray
    least: int


def put_clustering(connection: sqlite3.Connection, record: ClusteringRecord) -> None:
    """Store the record in place of an earlier one."""
    choices = {"content": record.content, "seed": record.seed, "least": record.least}
    parts = {
        "choices": json.dumps(choices).encode(),
        "entity_ids": _SEPARATOR.join(record.entity_ids).encode(),
        "cluster_of": _bytes(record.cluster_of, "<i4"),
        "degrees": _bytes(record.degrees, "<f4"),
        "parent": _bytes(record.parent, "<i4"),
        "whole_up_to": _bytes(record.whole_up_to, "<i4"),
    }
    connection.executemany("INSERT OR REPLACE INTO clustering VALUES (?, ?)", parts.items())


def read_clustering(connection: sqlite3.Connection) -> ClusteringRecord | None:
    """Return the record, or None where there is none."""
    parts = dict(connection.execute("SELECT part, value FROM clustering"))
    if not parts:
        return None
    choices = json.loads(parts["choices"])
    ids = parts["entity_ids"].decode()
    return ClusteringRecord(
        choices["content"],
        choices["seed"],
        ids.split(_SEPARATOR) if ids else [],
        np.frombuffer(parts["cluster_of"], dtype="<i4"),
        np.frombuffer(parts["degrees"], dtype="<f4"),
        np.frombuffer(parts["parent"], dtype="<i4"),
        np.frombuffer(parts["whole_up_to"], dtype="<i4"),
        choices["least"],
    )


def drop_clustering(connection: sqlite3.Connection) -> None:
    """Forget the record."""
    connection.execute("DELETE FROM clustering")


def _bytes(array: NDArray[np.generic], dtype: str) -> bytes:
    return np.ascontiguousarray(array, dtype=dtype).tobytes()
