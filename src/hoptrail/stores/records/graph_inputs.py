"""Tells whether the graph's tables still show what they are derived from."""

from __future__ import annotations

import hashlib
import sqlite3

from hoptrail.stores.records.meta_table import read_meta, write_meta
from hoptrail.stores.records.packed_text import unpacked_text

_KEY = "graph_inputs"
_INPUTS = (
    """SELECT doc_id, ifnull(chunk_id, ''), extractor, result FROM extractions
    WHERE result IS NOT NULL ORDER BY 1, 2, 3""",
    "SELECT id, kept, merged FROM merge_vetoes ORDER BY id",
    "SELECT id, kept, merged FROM merge_verdicts WHERE is_same ORDER BY id",
    "SELECT type, label FROM type_labels ORDER BY type",
    "SELECT key, value FROM meta WHERE key = 'edited_schema'",
    "SELECT doc_id, digest FROM triple_lists ORDER BY doc_id",
)


def inputs_digest(connection: sqlite3.Connection, version: str) -> str:
    """Return the hash of all that the graph is derived from, and of the rules' version."""
    digest = hashlib.sha256(version.encode())
    for query in _INPUTS:
        for row in connection.execute(query):
            digest.update("\0".join(map(unpacked_text, row)).encode(errors="replace"))
    return digest.hexdigest()


def recorded_inputs(connection: sqlite3.Connection) -> str:
    """Return the hash that was recorded for the present graph, "" where none was."""
    return read_meta(connection, _KEY) or ""


def record_inputs(connection: sqlite3.Connection, digest: str) -> None:
    """Record the hash of what the graph was derived from."""
    write_meta(connection, _KEY, digest)
