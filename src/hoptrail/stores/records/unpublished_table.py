"""A list of all that is new since the last generation, as long as documents only come and go.

A run that adds, replaces or deletes some lists them here, and with them the items of the graph
that they change. So what is made of the tables (the graph, vectors, arrays) goes on from what is
there, in the time that these documents take. Any other change leaves the list to itself: all is
made anew then. A hash of its inputs tells whether a graph of many triples is still up to date.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from typing import Literal

from hoptrail.stores.records.meta_table import (
    LISTED,
    UNCHANGED,
    change_state,
    read_meta,
    write_change_state,
    write_meta,
)
from hoptrail.stores.records.rows import has_table
from hoptrail.stores.records.stored_text import unpacked_text

ListedKind = Literal["document", "entity", "relation", "report"]
"""A document that is new, gone or says otherwise; an entity or relation that is new or gone, or
differs, or reads otherwise; the hash of the text of a report that is gone."""
Row = tuple[str, str | None, str, str | bytes]

_UNDERIVED = "underived"  # a document that the graph does not have yet as it is
_REPLACED = "replaced_extractions"  # what the graph has of documents that say otherwise by now
_DERIVED_BY = "derived_by"
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


def listed_only(connection: sqlite3.Connection) -> bool:
    """Return whether the list has all that differs from the last generation."""
    return change_state(connection) == LISTED


def listed_at_most(connection: sqlite3.Connection) -> bool:
    """Return whether nothing but what is listed differs from the last generation."""
    return change_state(connection) in (UNCHANGED, LISTED)


def list_items(connection: sqlite3.Connection, kind: ListedKind, ids: Iterable[str]) -> None:
    """Note items that differ from the last generation; needless where that is not known of all."""
    if not listed_at_most(connection):
        return
    write_change_state(connection, LISTED)
    _add(connection, kind, ids)


def listed_ids(connection: sqlite3.Connection, kind: ListedKind) -> list[str]:
    """Return the ids of a kind on the list, in order."""
    return _ids(connection, kind)


def is_listed(connection: sqlite3.Connection, kind: ListedKind, id_: str) -> bool:
    """Return whether an item is on the list."""
    return _has(connection, kind, id_)


def forget_listed(connection: sqlite3.Connection) -> None:
    """Forget what the generation that is being published has."""
    connection.execute("DELETE FROM unpublished WHERE kind != ?", (_UNDERIVED,))


def derived_by(connection: sqlite3.Connection) -> str:
    """Return by what the graph was derived from all documents but `underived` ones, "" if not."""
    return read_meta(connection, _DERIVED_BY) or ""


def underived(connection: sqlite3.Connection) -> list[str]:
    """Return the documents that the graph does not have yet as they are, in order."""
    return _ids(connection, _UNDERIVED)


def note_underived(connection: sqlite3.Connection, doc_id: str) -> None:
    """Note a new document that the graph does not have yet."""
    if derived_by(connection):
        _add(connection, _UNDERIVED, [doc_id])


def note_replaced(connection: sqlite3.Connection, doc_id: str) -> None:
    """Note that a document is about to say otherwise, and keep what the graph has of it."""
    if not derived_by(connection) or is_underived(connection, doc_id):
        return
    connection.execute(
        f"""INSERT INTO {_REPLACED} SELECT doc_id, chunk_id, extractor, result FROM extractions
        WHERE doc_id = ? AND result IS NOT NULL""",
        (doc_id,),
    )
    note_underived(connection, doc_id)


def replaced_extractions(connection: sqlite3.Connection) -> list[Row]:
    """Return what the graph has of documents that say otherwise by now.

    These are rows of document, chunk, extractor and stored result.
    """
    if not has_table(connection, _REPLACED):
        return []
    return connection.execute(f"SELECT * FROM {_REPLACED}").fetchall()


def is_underived(connection: sqlite3.Connection, doc_id: str) -> bool:
    """Return whether the graph does not have a document as it is."""
    return _has(connection, _UNDERIVED, doc_id)


def note_derived(connection: sqlite3.Connection, by: str) -> None:
    """Note that the graph has all documents now, or with "" that it is to be derived from all.

    Args:
        connection: Writes the base.
        by: Version and choices of what derived it.
    """
    if by or derived_by(connection):
        write_meta(connection, _DERIVED_BY, by)
        connection.execute("DELETE FROM unpublished WHERE kind = ?", (_UNDERIVED,))
        connection.execute(f"DELETE FROM {_REPLACED}")


def _has(connection: sqlite3.Connection, kind: str, id_: str) -> bool:
    query = "SELECT 1 FROM unpublished WHERE kind = ? AND id = ?"
    return connection.execute(query, (kind, id_)).fetchone() is not None


def _add(connection: sqlite3.Connection, kind: str, ids: Iterable[str]) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO unpublished VALUES (?, ?)", [(kind, id_) for id_ in ids]
    )


def _ids(connection: sqlite3.Connection, kind: str) -> list[str]:
    rows = connection.execute("SELECT id FROM unpublished WHERE kind = ? ORDER BY id", (kind,))
    return [row[0] for row in rows]


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
