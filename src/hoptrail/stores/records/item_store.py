"""Documents, chunks, entities, relations and communities by id, from SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk, Community, Document, Entity, Relation
from hoptrail.stores.records.community_table import communities_by_id
from hoptrail.stores.records.database import Database
from hoptrail.stores.records.document_table import (
    checked_document,
    chunk_columns,
    chunk_of,
    damaged_text,
    has_replaced,
)
from hoptrail.stores.records.stored_values import description_column
from hoptrail.stores.records.tables import rows_among

_DOCUMENTS = """SELECT id, title, text, source, uri, metadata, content_hash
    FROM {table} WHERE id IN {ids}"""
_CHUNKS = """SELECT {columns} FROM {{table}} WHERE id IN {{ids}}"""
_OF_DOCUMENTS = """SELECT {columns} FROM {table} WHERE doc_id IN {{}}"""
_ENTITIES = """SELECT id, name, type, description, chunk_ids FROM entities WHERE id IN {}"""
_ALIASES = """SELECT entity_id, name FROM entity_names
    WHERE entity_id IN {} AND position > 0 ORDER BY entity_id, position"""
_RELATIONS = """SELECT r.id, r.source, r.predicate, r.target, {text}, r.weight,
    r.chunk_ids, s.name, t.name FROM relations r
    JOIN entities s ON s.id = r.source JOIN entities t ON t.id = r.target WHERE r.id IN {{}}"""
_NAMES = """SELECT DISTINCT key, entity_id FROM entity_names
    WHERE key IN {} ORDER BY key, entity_id"""
_MATCHES = """SELECT entity_id FROM entity_names WHERE instr(key, :key) > 0 GROUP BY entity_id
    ORDER BY min(key != :key), min(instr(key, :key)) > 1, min(length(key)), entity_id LIMIT :most"""


class SqliteGraphStore:
    """The `GraphStore` of the embedded knowledge base."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def documents(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents of these ids as published, in their order, unknown ids left out."""
        with self._database.read() as connection:
            found = _rows_by_id(connection, _DOCUMENTS, "documents", ids)
            if has_replaced(connection):
                found |= _rows_by_id(connection, _DOCUMENTS, "replaced_documents", ids)
        return [checked_document(found[id_]) for id_ in ids if id_ in found]

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks of these ids, in their order, unknown ids left out.

        Those that a replaced document had are known until the next generation is published.
        """
        with self._database.read() as connection:
            query = _CHUNKS.format(columns=chunk_columns(connection))
            found = _rows_by_id(connection, query, "chunks", ids)
            if len(found) < len(ids) and has_replaced(connection):
                found = _rows_by_id(connection, query, "replaced_chunks", ids) | found
        return [chunk_of(found[id_]) for id_ in ids if id_ in found]

    def passages_of(self, doc_ids: Sequence[str]) -> list[Chunk]:
        """Return all chunks of these documents, by document in their order, then by place."""
        wanted = list(dict.fromkeys(doc_ids))
        with self._database.read() as connection:
            columns = chunk_columns(connection)
            query = _OF_DOCUMENTS.format(columns=columns, table="chunks")
            found = _select(connection, query, wanted)
            if has_replaced(connection):
                query = _OF_DOCUMENTS.format(columns=columns, table="replaced_chunks")
                old = _select(connection, query, wanted)
                replaced = {row[1] for row in old}
                found = [row for row in found if row[1] not in replaced] + old
        by_document: dict[str, list[Chunk]] = {doc_id: [] for doc_id in wanted}
        for row in sorted(found, key=lambda row: (row[4], row[0])):
            by_document[row[1]].append(chunk_of(row))
        return [chunk for chunks in by_document.values() for chunk in chunks]

    def entities(self, ids: Sequence[str]) -> list[Entity]:
        """Return the entities of these ids, in their order, unknown ids left out."""
        with self._database.read() as connection:
            aliases: dict[str, list[str]] = {}
            for entity_id, name in _select(connection, _ALIASES, ids):
                aliases.setdefault(entity_id, []).append(name)
            found = {
                row[0]: _entity(row, aliases.get(row[0], ()))
                for row in _select(connection, _ENTITIES, ids)
            }
        return [found[id_] for id_ in ids if id_ in found]

    def relations(self, ids: Sequence[str]) -> list[Relation]:
        """Return the relations of these ids, with end point names, in order, unknown left out."""
        with self._database.read() as connection:
            query = _RELATIONS.format(text=description_column(connection, "r.description"))
            found = {row[0]: _relation(row) for row in _select(connection, query, ids)}
        return [found[id_] for id_ in ids if id_ in found]

    def communities(self, ids: Sequence[str], *, members: bool = True) -> list[Community]:
        """Return the communities of these ids, with reports and members, unknown ids left out.

        Args:
            ids: In any order, which the result keeps.
            members: Whether to read `entity_ids`.
        """
        with self._database.read() as connection:
            return communities_by_id(connection, ids, members=members)

    def find_entities(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the ids of the entities whose name or alias has the same `name_key`, by name.

        Names that no entity has are left out; ids are in order.
        """
        keys = {name: name_key(name) for name in names}
        found: dict[str, list[str]] = {}
        with self._database.read() as connection:
            for key, entity_id in _select(connection, _NAMES, sorted(set(keys.values()))):
                found.setdefault(key, []).append(entity_id)
        return {name: tuple(found[key]) for name, key in keys.items() if key in found}

    def match_entities(self, text: str, limit: int) -> list[str]:
        """Return the ids of the entities with a name or alias that holds the text, best first.

        Equal names come first, then those that begin with it, then the shortest.
        """
        with self._database.read() as connection:
            wanted = {"key": name_key(text), "most": limit}
            return [id_ for (id_,) in connection.execute(_MATCHES, wanted)]


def _rows_by_id(
    connection: sqlite3.Connection, query: str, table: str, ids: Sequence[str]
) -> dict[str, tuple[Any, ...]]:
    named = query.format(table=table, ids="{}")
    return {row[0]: row for row in _select(connection, named, ids)}


def _entity(row: tuple[Any, ...], aliases: Sequence[str]) -> Entity:
    id_, name, type_, description, chunk_ids = row
    return Entity(id_, name, type_, description, tuple(aliases), tuple(chunk_ids.split()))


def _relation(row: tuple[Any, ...]) -> Relation:
    id_, source, predicate, target, description, weight, chunk_ids, subject, object_ = row
    if description is None:
        raise damaged_text(f"relation {id_}")
    places = tuple(chunk_ids.split())
    return Relation(id_, source, predicate, target, description, weight, places, subject, object_)


def _select(connection: sqlite3.Connection, query: str, ids: Sequence[str]) -> list[Any]:
    # NumPy strings are what index arrays give; SQLite binds plain ones.
    return list(rows_among(connection, query, [str(id_) for id_ in ids]))
