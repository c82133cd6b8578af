"""Rows of the server as items, in which equal ids and names are one string: they come again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from sys import intern
from typing import Any

from hoptrail.core.types import Chunk, Community, Document, Entity, Finding, Relation
from hoptrail.core.types.table import tables_of


def document_of(row: list[Any]) -> Document:
    """Return a document of its properties."""
    id_, title, text, source, uri, metadata = row
    return Document(id_, title, text, source, uri, json.loads(metadata))


def chunk_of(row: list[Any]) -> Chunk:
    """Return a passage of its properties."""
    id_, doc_id, title, text, start, end, tokens, stored, rows, doubtful, section = row
    places = tuple((at, name) for at, name in json.loads(stored)) if stored else ()
    tables = tables_of(rows) if rows else ()
    unsure = tuple((begin, after) for begin, after in json.loads(doubtful)) if doubtful else ()
    identity = intern(id_)
    return Chunk(
        identity, doc_id, title, text, start, end, tokens, places, tables, unsure, section or ""
    )


def entity_of(row: list[Any]) -> Entity:
    """Return an entity of its properties."""
    id_, name, type_, description, aliases, chunk_ids = row
    id_, name, type_ = map(intern, (id_, name, type_))
    return Entity(id_, name, type_, description, interned(aliases), interned(chunk_ids))


def relation_of(row: list[Any]) -> Relation:
    """Return a relation of the properties of a relationship and of the names of its ends."""
    id_, source, predicate, target, description, weight, chunk_ids, subject, object_ = row
    id_, source, predicate, target = map(intern, (id_, source, predicate, target))
    chunks = interned(chunk_ids or ())
    ends = intern(subject), intern(object_)
    return Relation(id_, source, predicate, target, description or "", weight, chunks, *ends)


def community_of(row: list[Any], members: tuple[str, ...] = ()) -> Community:
    """Return a community of its properties."""
    id_, level, title, summary, rating, reason, stored, parent, size = row
    findings = json.loads(stored or "[]")  # None while it is deleted
    told = tuple(map(Finding.from_json, findings))
    return Community(id_, level, title, summary, rating, reason, told, parent, size, members)


def interned(texts: Iterable[str]) -> tuple[str, ...]:
    """Return texts, those that are equal to known ones as these."""
    return tuple(map(intern, texts))
