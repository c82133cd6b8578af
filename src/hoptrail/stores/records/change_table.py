"""Changes, by generation and since the last one, so that nothing else is told or made anew.

The first list is for servers. Triggers note the ids of rows that are written, deleted or replaced
by others; a row that is written again as it was is not noted. They are there once a base is
published to a server, and cost a base that never is nothing.

The second, `unpublished`, is of all that is new since the last generation, as long as documents
only come and go. A run that adds, replaces or deletes some lists them, and with them the items of
the graph that they change. So what is made of the tables (the graph, vectors, arrays) goes on from
what is there, in the time that these documents take. Any other change leaves the list to itself:
all is made anew then. A hash of its inputs tells whether a graph of many triples is still up to
date.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from uuid import uuid4

from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.records.stored_values import unpacked_text
from hoptrail.stores.records.tables import (
    LISTED,
    UNCHANGED,
    change_state,
    generation,
    has_table,
    read_meta,
    write_change_state,
    write_meta,
)

_SINCE = "tracked_since"
_RECORDS_ID = "records_id"
_TABLE = """CREATE TABLE IF NOT EXISTS changes (
    kind TEXT NOT NULL, id TEXT NOT NULL, generation INTEGER NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID"""
_NEXT = "(SELECT ifnull(max(CAST(value AS INTEGER)), 0) + 1 FROM meta WHERE key = 'generation')"
_RENAMED = "name"  # an entity with another name: its relations are embedded with it
_REPORTED = "report"  # a community's report, by its content hash


@dataclass(frozen=True, slots=True)
class _Tracked:
    """A table whose rows are told apart by `key` and belong to the item `id` of a kind."""

    table: str
    kind: str
    id: str
    key: tuple[str, ...]
    columns: tuple[str, ...]


_TRACKED = (
    _Tracked(
        "documents", "document", "id", ("id",), ("title", "text", "source", "uri", "metadata")
    ),
    _Tracked(
        "chunks",
        "chunk",
        "id",
        ("id",),
        (
            "doc_id",
            "title",
            "text",
            "start",
            "end",
            "tokens",
            "places",
            "tables",
            "unsure",
            "section",
        ),
    ),
    _Tracked("entities", "entity", "id", ("id",), ("name", "type", "description", "chunk_ids")),
    _Tracked("entities", _RENAMED, "id", ("id",), ("name",)),
    _Tracked("entity_names", "entity", "entity_id", ("entity_id", "position"), ("name",)),
    _Tracked(
        "relations",
        "relation",
        "id",
        ("id",),
        ("source", "predicate", "target", "description", "weight", "chunk_ids"),
    ),
    _Tracked(
        "communities", "community", "id", ("id",), ("level", "parent", "size", "key", "members")
    ),
    _Tracked(
        "community_reports",
        _REPORTED,
        "key",
        ("key",),
        ("title", "summary", "rating", "rating_reason", "findings"),
    ),
)
_TABLES: dict[ItemKind, str] = {
    "document": "documents",
    "chunk": "chunks",
    "entity": "entities",
    "relation": "relations",
    "community": "communities",
}
_NOTED = "SELECT id FROM changes WHERE kind = '{kind}' AND generation > :since"
# What an item is served with stands in other rows too.
_DEPENDING: dict[ItemKind, str] = {
    "chunk": f"SELECT id FROM chunks WHERE doc_id IN ({_NOTED.format(kind='document')})",
    "relation": f"""SELECT id FROM relations WHERE source IN ({_NOTED.format(kind=_RENAMED)})
        OR target IN ({_NOTED.format(kind=_RENAMED)})""",
    "community": f"SELECT id FROM communities WHERE key IN ({_NOTED.format(kind=_REPORTED)})",
}


def start_tracking(connection: sqlite3.Connection) -> None:
    """Note from now on which items change; does nothing where that is done already."""
    if read_meta(connection, _SINCE) is not None:
        return
    connection.execute(_TABLE)
    for tracked in _TRACKED:
        for statement in _triggers(tracked):
            connection.execute(statement)
    write_meta(connection, _SINCE, str(generation(connection)))
    write_meta(connection, _RECORDS_ID, uuid4().hex)


def records_id(connection: sqlite3.Connection) -> str:
    """Return what tells a tracked base apart from all others."""
    return read_meta(connection, _RECORDS_ID) or ""


def tracked_since(connection: sqlite3.Connection) -> int:
    """Return the generation from which on the changes of a tracked base are known."""
    return int(read_meta(connection, _SINCE) or 0)


def forget_changes(connection: sqlite3.Connection, until: int) -> None:
    """Forget what changed up to a generation, as every server has that one."""
    connection.execute("DELETE FROM changes WHERE generation <= ?", (until,))
    write_meta(connection, _SINCE, str(until))


def note_all_changed(connection: sqlite3.Connection) -> None:
    """Note of a tracked base that no server has its next generation but for what is noted."""
    if read_meta(connection, _SINCE) is not None:
        write_meta(connection, _SINCE, str(generation(connection) + 1))


def changed_ids(
    connection: sqlite3.Connection, kind: ItemKind, since: int
) -> tuple[list[str], list[str]]:
    """Return the ids that are new or changed since a generation, and those that are gone."""
    noted = _NOTED.format(kind=kind)
    touched = f"{noted} UNION {_DEPENDING[kind]}" if kind in _DEPENDING else noted
    there = f"SELECT id FROM {_TABLES[kind]}"
    values = {"since": since}
    put = connection.execute(
        f"SELECT id FROM ({touched}) WHERE id IN ({there}) ORDER BY id", values
    )
    gone = connection.execute(f"{noted} AND id NOT IN ({there}) ORDER BY id", values)
    return [row[0] for row in put], [row[0] for row in gone]


def all_ids(connection: sqlite3.Connection, kind: ItemKind) -> Iterator[str]:
    """Yield the id of every item of a kind, in order."""
    for row in connection.execute(f"SELECT id FROM {_TABLES[kind]} ORDER BY id"):
        yield row[0]


def _triggers(tracked: _Tracked) -> Iterator[str]:
    """Yield the statements that watch a table.

    A note is deleted and written anew: an `OR IGNORE` of the statement that fires a trigger would
    hold for an `OR REPLACE` within it.
    """
    name = f"changes_{tracked.table}_{tracked.kind}"
    same_key = " AND ".join(f'"{key}" = new."{key}"' for key in tracked.key)
    same_row = " AND ".join(f'"{column}" IS new."{column}"' for column in tracked.columns)
    changed = " OR ".join(
        f'old."{column}" IS NOT new."{column}"' for column in (*tracked.key, *tracked.columns)
    )
    old, new = (_note(tracked, row) for row in ("old", "new"))
    table = tracked.table
    yield f"""CREATE TRIGGER {name}_inserted BEFORE INSERT ON {table}
        WHEN NOT EXISTS (SELECT 1 FROM {table} WHERE {same_key} AND {same_row}) BEGIN {new} END"""
    yield f"""CREATE TRIGGER {name}_updated AFTER UPDATE ON {table}
        WHEN {changed} BEGIN {old} {new} END"""
    yield f"CREATE TRIGGER {name}_deleted AFTER DELETE ON {table} BEGIN {old} END"


def _note(tracked: _Tracked, row: str) -> str:
    id_ = f'{row}."{tracked.id}"'
    return (
        f"DELETE FROM changes WHERE kind = '{tracked.kind}' AND id = {id_}; "
        f"INSERT INTO changes VALUES ('{tracked.kind}', {id_}, {_NEXT});"
    )


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
