"""Bare knowledge graphs as they were given: lists of triples in columns, one per document."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hoptrail.core.embedding import IntArray

_SEPARATOR = "\0"


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
    """Store the triples of a document; `digest` tells whether the source changed."""
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
