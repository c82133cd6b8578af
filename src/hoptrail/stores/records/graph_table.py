"""The derived tables: entities, relations and merges, replaced by their diff."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Literal

from hoptrail.core.errors import KnowledgeBaseError, UnknownNameError
from hoptrail.core.text import name_key
from hoptrail.core.types import Entity, Relation
from hoptrail.core.types.merge import Merge

_KEYS = {
    "entities": "id",
    "entity_names": "entity_id, position",
    "relations": "id",
    "merges": "id",
}
_DANGLING = """SELECT r.id, r.source, r.target FROM relations r
    LEFT JOIN entities s ON s.id = r.source LEFT JOIN entities t ON t.id = r.target
    WHERE s.id IS NULL OR t.id IS NULL LIMIT 1"""


def replace_graph(
    connection: sqlite3.Connection,
    entities: Iterable[Entity],
    relations: Iterable[Relation],
    merges: Iterable[Merge],
) -> bool:
    """Make these the graph, and return whether that changed anything.

    Rows that stay the same are not touched.

    Raises:
        KnowledgeBaseError: If a relation's end point is not among the entities.
    """
    changed = [
        replace_rows(connection, table, _KEYS[table], rows)
        for table, rows in _rows_by_table(entities, relations, merges)
    ]
    dangling = connection.execute(_DANGLING).fetchone()
    if dangling is not None:
        raise KnowledgeBaseError(
            "relation {} joins {} and {}, one is no entity".format(*dangling),
            hint="if it was indexed with hoptrail, its file is damaged: restore it or index again",
        )
    return any(changed)


def insert_graph(
    connection: sqlite3.Connection,
    entities: Iterable[Entity],
    relations: Iterable[Relation],
    merges: Iterable[Merge],
) -> None:
    """Add these to tables that do not have them."""
    for table, rows in _rows_by_table(entities, relations, merges):
        width = len(connection.execute(f"SELECT * FROM {table} LIMIT 0").description)
        connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * width)})", rows)


def iter_descriptions(
    connection: sqlite3.Connection, table: Literal["entities", "relations"]
) -> Iterator[tuple[str, str]]:
    """Yield id and description of the items that have one, by id."""
    yield from connection.execute(
        f"SELECT id, description FROM {table} WHERE description != '' ORDER BY id"
    )


def iter_merges(connection: sqlite3.Connection) -> Iterator[Merge]:
    """Yield the merges by id."""
    rows = connection.execute("SELECT id, entity_id, kept, merged, reason FROM merges ORDER BY id")
    for row in rows:
        yield Merge(*row)


def veto_merge(connection: sqlite3.Connection, merge_id: str) -> None:
    """Forbid a merge from now on; it is gone from the graph once that is derived again.

    Raises:
        UnknownNameError: If there is no such merge.
    """
    row = connection.execute(
        "SELECT id, kept, merged FROM merges WHERE id = ?", (merge_id,)
    ).fetchone()
    if row is None:
        raise UnknownNameError("merge", merge_id, (merge.id for merge in iter_merges(connection)))
    connection.execute("INSERT OR REPLACE INTO merge_vetoes VALUES (?, ?, ?)", row)


def _rows_by_table(
    entities: Iterable[Entity], relations: Iterable[Relation], merges: Iterable[Merge]
) -> Iterator[tuple[str, Iterable[tuple[object, ...]]]]:
    known = list(entities)
    yield "entities", map(_entity_row, known)
    yield "entity_names", (row for entity in known for row in _name_rows(entity))
    yield "relations", map(_relation_row, relations)
    yield "merges", map(_merge_row, merges)


def replace_rows(
    connection: sqlite3.Connection, table: str, key: str, rows: Iterable[tuple[object, ...]]
) -> bool:
    """Give a table exactly these rows, writing only what differs; return whether anything did."""
    width = len(connection.execute(f"SELECT * FROM {table} LIMIT 0").description)
    connection.execute("DROP TABLE IF EXISTS temp.wanted")
    connection.execute(f"CREATE TEMP TABLE wanted AS SELECT * FROM {table} LIMIT 0")
    connection.executemany(f"INSERT INTO wanted VALUES ({', '.join('?' * width)})", rows)
    deleted = connection.execute(
        f"DELETE FROM {table} WHERE ({key}) NOT IN (SELECT {key} FROM wanted)"
    )
    written = connection.execute(
        f"INSERT OR REPLACE INTO {table} SELECT * FROM wanted EXCEPT SELECT * FROM {table}"
    )
    connection.execute("DROP TABLE wanted")
    return deleted.rowcount > 0 or written.rowcount > 0


def _entity_row(entity: Entity) -> tuple[object, ...]:
    return (
        entity.id,
        entity.name,
        entity.type,
        entity.description,
        " ".join(entity.chunk_ids),
    )


def _name_rows(entity: Entity) -> Iterator[tuple[object, ...]]:
    for position, name in enumerate((entity.name, *entity.aliases)):
        yield entity.id, position, name, name_key(name)


def _relation_row(relation: Relation) -> tuple[object, ...]:
    return (
        relation.id,
        relation.source,
        relation.predicate,
        relation.target,
        relation.description,
        relation.weight,
        " ".join(relation.chunk_ids),
    )


def _merge_row(merge: Merge) -> tuple[object, ...]:
    return merge.id, merge.entity_id, merge.kept, merge.merged, merge.reason
