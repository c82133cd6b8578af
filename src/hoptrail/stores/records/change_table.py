"""Which items changed in which generation, so that a server is told what is new and nothing else.

Triggers note the ids of rows that are written, deleted or replaced by others; a row that is written
again as it was is not noted. They are there once a base is published to a server, and cost a base
that never is nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.records.meta_table import generation, read_meta, write_meta

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
