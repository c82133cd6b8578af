"""The derived tables: entities, relations and merges, replaced by their diff."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import chain, starmap
from typing import Any, Literal, TypeVar

from hoptrail.core.errors import KnowledgeBaseError, UnknownNameError
from hoptrail.core.text import name_key
from hoptrail.core.types import Entity, Relation
from hoptrail.core.types.graph import Merge
from hoptrail.stores.records.stored_values import (
    description_column,
    forget_told,
    put_told,
    stored_description,
    told_by,
)
from hoptrail.stores.records.tables import among, batches, columns_of, insertion, rows_among

Item = TypeVar("Item", Entity, Relation, Merge)

_KEYS = {
    "entities": ("id",),
    "entity_names": ("entity_id", "position"),
    "relations": ("id",),
    "merges": ("id",),
}


class TooManyMentionsError(Exception):
    """Names lead to so many places that resolving all anew is as good."""


@dataclass(frozen=True, slots=True)
class GraphIds:
    """Ids of entities and relations."""

    entities: Sequence[str] = ()
    relations: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class GraphChange:
    """Items to put into the graph, in place of what it has of these ids, and ids that go."""

    entities: Sequence[Entity]
    relations: Sequence[Relation]
    merges: Sequence[Merge]
    gone: GraphIds
    gone_merges: Sequence[str]


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
    nodes, edges, joined = _by_id(entities), _by_id(relations), _by_id(merges)
    known = {entity.id for entity in nodes}
    for one in edges:
        if one.source not in known or one.target not in known:
            raise _dangling(one.id, one.source, one.target)
    del known
    is_first = connection.execute("SELECT 1 FROM entity_names LIMIT 1").fetchone() is None
    put_told(connection, (one.description for one in edges))
    with names_indexed_at_the_end(connection) if is_first else nullcontext():
        changed = [
            replace_rows(connection, table, _KEYS[table], rows)
            for table, rows in _rows_by_table(nodes, edges, joined)
        ]
    forget_told(connection)
    return any(changed)


@contextmanager
def names_indexed_at_the_end(connection: sqlite3.Connection) -> Iterator[None]:
    """Make the index of names once all names are written within, in the caller's transaction.

    Sorting an index once is much cheaper than keeping it in order row by row.
    """
    connection.execute("DROP INDEX IF EXISTS entity_names_by_key")
    yield
    connection.execute("CREATE INDEX entity_names_by_key ON entity_names (key, entity_id)")


def change_graph(connection: sqlite3.Connection, change: GraphChange) -> GraphIds:
    """Write what differs of the graph, and return what differs or is told otherwise.

    A relation is told otherwise where one of its ends has another name.

    Raises:
        KnowledgeBaseError: If a relation's end point is not among the entities.
    """
    renamed = [one.id for one in change.entities if _has_other_name(connection, one)]
    told = [id_ for ids in batches(renamed) for id_ in _relations_at(connection, ids)]
    changed = GraphIds(
        [*change.gone.entities, *(one.id for one in change.entities)],
        [*change.gone.relations, *(one.id for one in change.relations), *told],
    )
    before = told_by(connection, changed.relations)
    for table, column, ids in (
        ("entities", "id", change.gone.entities),
        ("entity_names", "entity_id", changed.entities),
        ("relations", "id", change.gone.relations),
        ("merges", "id", change.gone_merges),
    ):
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(id_,) for id_ in ids])
    insert_graph(connection, change.entities, change.relations, change.merges, or_replace=True)
    forget_told(connection, before - told_by(connection, changed.relations))
    ends = {end for one in change.relations for end in (one.source, one.target)}
    query = "SELECT id FROM entities WHERE id IN {}"
    known = {row[0] for row in rows_among(connection, query, sorted(ends))}
    for one in change.relations:
        if one.source not in known or one.target not in known:
            raise _dangling(one.id, one.source, one.target)
    return changed


def items_named(
    connection: sqlite3.Connection,
    keys: Iterable[str],
    pairs: Iterable[tuple[str, str]],
    most: int,
) -> tuple[set[str], set[str]]:
    """Return all names that names or aliases of entities lead to, and the chunks they stand in.

    Args:
        connection: Reads the graph.
        keys: Keys of names to begin with.
        pairs: Keys that lead to each other beside.
        most: How many chunks at most.

    Raises:
        TooManyMentionsError: If they are more.
    """
    known: set[str] = set()
    entities: set[str] = set()
    chunks: set[str] = set()
    new = set(keys)
    while new:
        known |= new
        met = _with_names(connection, new) - entities
        entities |= met
        chunks |= _chunks_of(connection, met)
        if len(chunks) > most:
            raise TooManyMentionsError
        new = _names_of(connection, met) | _paired(new, pairs)
        new -= known
    return known, chunks


def insert_graph(
    connection: sqlite3.Connection,
    entities: Iterable[Entity],
    relations: Iterable[Relation],
    merges: Iterable[Merge],
    *,
    or_replace: bool = False,
) -> None:
    """Add these to tables that do not have them, or in place of what these have of their ids."""
    edges = list(relations)
    put_told(connection, (one.description for one in edges))
    insert = "INSERT OR REPLACE" if or_replace else "INSERT"
    for table, rows in _rows_by_table(entities, edges, merges):
        columns = columns_of(connection.execute(f"SELECT * FROM {table} LIMIT 0"))
        connection.executemany(insertion(table, columns, insert), rows)


def iter_descriptions(
    connection: sqlite3.Connection, table: Literal["entities", "relations"]
) -> Iterator[tuple[str, str]]:
    """Yield id and description of the items that have one, by id."""
    text = description_column(connection, f"{table}.description")
    yield from connection.execute(
        f"SELECT id, {text} FROM {table} WHERE description != '' ORDER BY id"
    )


def relation_ends(connection: sqlite3.Connection, ids: Sequence[str]) -> set[str]:
    """Return the entities that those of these relations join that are there, published or not."""
    query = "SELECT source, target FROM relations WHERE id IN {}"
    return {end for row in rows_among(connection, query, ids) for end in row}


def list_merges(connection: sqlite3.Connection) -> list[Merge]:
    """Return the merges of the present graph, by id."""
    rows = connection.execute("SELECT id, entity_id, kept, merged, reason FROM merges ORDER BY id")
    return list(starmap(Merge, rows))


def veto_merge(connection: sqlite3.Connection, merge_id: str) -> None:
    """Forbid a merge: the next derivation of the graph keeps the two apart.

    Raises:
        UnknownNameError: If there is no such merge.
    """
    row = connection.execute(
        "SELECT id, kept, merged FROM merges WHERE id = ?", (merge_id,)
    ).fetchone()
    if row is None:
        raise UnknownNameError("merge", merge_id, (merge.id for merge in list_merges(connection)))
    connection.execute("INSERT OR REPLACE INTO merge_vetoes VALUES (?, ?, ?)", row)


def _by_id(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda item: item.id)


def _dangling(relation: str, source: str, target: str) -> KnowledgeBaseError:
    return KnowledgeBaseError(
        f"relation {relation} joins {source} and {target}, one is no entity",
        hint="if it was indexed with hoptrail, its file is damaged: restore it or index again",
    )


def _has_other_name(connection: sqlite3.Connection, entity: Entity) -> bool:
    row = connection.execute("SELECT name FROM entities WHERE id = ?", (entity.id,)).fetchone()
    return row is not None and row[0] != entity.name


def _relations_at(connection: sqlite3.Connection, ids: Sequence[str]) -> Iterator[str]:
    condition = f"{among('source', ids)} OR {among('target', ids)}"
    rows = connection.execute(f"SELECT id FROM relations WHERE {condition}", (*ids, *ids))
    return (row[0] for row in rows)


def _with_names(connection: sqlite3.Connection, keys: Iterable[str]) -> set[str]:
    query = "SELECT entity_id FROM entity_names WHERE key IN {}"
    return {row[0] for row in rows_among(connection, query, sorted(keys))}


def _names_of(connection: sqlite3.Connection, ids: Iterable[str]) -> set[str]:
    query = "SELECT key FROM entity_names WHERE entity_id IN {}"
    return {row[0] for row in rows_among(connection, query, sorted(ids))}


def _chunks_of(connection: sqlite3.Connection, ids: Iterable[str]) -> set[str]:
    query = "SELECT chunk_ids FROM entities WHERE id IN {}"
    rows = rows_among(connection, query, sorted(ids))
    return {chunk for (listed,) in rows for chunk in listed.split()}


def _paired(keys: set[str], pairs: Iterable[tuple[str, str]]) -> set[str]:
    found: set[str] = set()
    for pair in pairs:
        if not keys.isdisjoint(pair):
            found.update(pair)
    return found


def _rows_by_table(
    entities: Iterable[Entity], relations: Iterable[Relation], merges: Iterable[Merge]
) -> Iterator[tuple[str, Iterable[tuple[object, ...]]]]:
    known = list(entities)
    yield "entities", map(_entity_row, known)
    yield "entity_names", (row for entity in known for row in _name_rows(entity))
    yield "relations", map(_relation_row, relations)
    yield "merges", map(_merge_row, merges)


def replace_rows(
    connection: sqlite3.Connection,
    table: str,
    key: Sequence[str],
    rows: Iterable[tuple[Any, ...]],
) -> bool:
    """Give a table exactly these rows, writing only what differs; return whether anything did.

    Args:
        connection: Writes the base.
        table: Name of the table.
        key: The columns, its first ones, that tell its rows apart.
        rows: All rows that it is to have, in the order of these columns.
    """
    known = connection.execute(f"SELECT * FROM {table} ORDER BY {', '.join(key)}")
    insert = insertion(table, columns_of(known), "INSERT OR REPLACE")
    first = known.fetchone()
    if first is None:  # in order, and with nothing to compare, they are written fastest
        return connection.executemany(insert, rows).rowcount > 0
    gone, put = _differences(chain([first], known), rows, len(key))
    condition = " AND ".join(f"{column} = ?" for column in key)
    connection.executemany(f"DELETE FROM {table} WHERE {condition}", gone)
    connection.executemany(insert, put)
    return bool(gone or put)


def _differences(
    before: Iterator[tuple[Any, ...]], after: Iterable[tuple[Any, ...]], width: int
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return the keys of rows that are gone, and the rows that are new or differ.

    Args:
        before: Rows in the order of their keys.
        after: The same, later.
        width: How many columns a key has.
    """
    gone: list[tuple[Any, ...]] = []
    put: list[tuple[Any, ...]] = []
    old = next(before, None)
    for row in after:
        key = row[:width]
        while old is not None and old[:width] < key:
            gone.append(old[:width])
            old = next(before, None)
        if old is not None and old[:width] == key:
            if old != row:
                put.append(row)
            old = next(before, None)
        else:
            put.append(row)
    while old is not None:
        gone.append(old[:width])
        old = next(before, None)
    return gone, put


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
        stored_description(relation.description),
        relation.weight,
        " ".join(relation.chunk_ids),
    )


def _merge_row(merge: Merge) -> tuple[object, ...]:
    return merge.id, merge.entity_id, merge.kept, merge.merged, merge.reason
