"""Items as rows of the server, and rows as items: labels, types and names, then the values.

Rows to write hold plain values, nothing that is empty. In items that were read, equal ids and names
are one string: they come again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from sys import intern
from typing import Any

from hoptrail.core.text import content_words, name_key, sentences
from hoptrail.core.types import Chunk, Community, Document, Entity, Finding, Relation
from hoptrail.core.types.document import tables_text
from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.records import document_table
from hoptrail.stores.serving import Rows

GENERIC_TYPE = "RELATES_TO"
MOST_TYPES = 1000
"""Predicates that get a relationship type each; a database has room for 65,536 types in all."""

_PUBLIC_LABELS = {
    "document": ("Document",),
    "chunk": ("Chunk", "__Node__"),
    "entity": ("__Entity__", "__Node__"),
    "community": ("Community",),
}
_OWN_TYPES = frozenset(
    {
        "FROM_DOCUMENT",
        "NEXT_CHUNK",
        "MENTIONS",
        "IN_COMMUNITY",
        "PARENT_COMMUNITY",
    }
)
_OWN_LABELS = frozenset(
    {"Document", "Chunk", "Community", "KnowledgeBase", "__Entity__", "__Node__"}
)
_LONGEST = 60
_NOT_A_LETTER = re.compile(r"\W")
_BREAK = re.compile(r"[\W_]")
_LUCENE = re.compile(r'([+\-!(){}\[\]^"~*?:\\/&|])')
Row = dict[str, Any]

LONGEST_NAME = 1_000
"""Characters of a name that is looked up: indexes take some 8,000 bytes."""


@dataclass(frozen=True, slots=True)
class Space:
    """One complete load of a base: the prefix of its labels and of its indexes' names.

    A base gets a new space when all of it is written anew, so that readers of the old one keep it.
    """

    prefix: str

    @classmethod
    def of(cls, kb: str, number: int) -> Space:
        """Return a base's space of this number; bases of similar names get different ones."""
        cleaned = _NOT_A_LETTER.sub("_", kb)[:_LONGEST]
        if cleaned != kb or not cleaned[:1].isalpha() or not cleaned.isascii():
            ascii_only = cleaned.encode("ascii", errors="replace").decode().replace("?", "_")
            cleaned = f"kb_{ascii_only}_{hashlib.sha256(kb.encode()).hexdigest()[:8]}"
        return cls(f"{cleaned}_{number}")

    def label(self, kind: str) -> str:
        """Return the label that all present rows of a kind bear."""
        return f"{self.prefix}_{kind.capitalize()}"

    def index(self, name: str) -> str:
        """Return the name of an index, such as `chunks`."""
        return f"{self.prefix}_{name}"


def public_labels(kind: str, type_: str = "") -> list[str]:
    """Return the labels by which other tools find a row; entities bear their type too."""
    own = list(_PUBLIC_LABELS[kind])
    return [*own, label] if (label := _type_label(type_)) else own


def relationship_type(relation: Relation, *, typed: bool) -> str:
    """Return the type of a relation: its cleaned predicate, or the one that all share."""
    cleaned = "_".join(filter(None, _BREAK.split(relation.predicate))).upper()[:_LONGEST]
    if not typed or not cleaned:
        return GENERIC_TYPE
    return f"{cleaned}_" if cleaned in _OWN_TYPES else cleaned


def escape_lucene(text: str) -> str:
    """Return a text whose characters all stand for themselves in a full-text query."""
    escaped = _LUCENE.sub(r"\\\1", text)
    return " ".join(
        word.lower() if word in ("AND", "OR", "NOT") else word for word in escaped.split(" ")
    )


def quote_lucene(text: str) -> str:
    """Return a text as one exact term of a full-text query."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _type_label(type_: str) -> str:
    cleaned = "".join(word[:1].upper() + word[1:] for word in _BREAK.split(type_))[:_LONGEST]
    return f"{cleaned}_" if cleaned in _OWN_LABELS else cleaned


def chunk_of(row: list[Any]) -> Chunk:
    """Return a passage of its properties."""
    id_, *told = row
    return document_table.stored_chunk([intern(id_), *told])


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


def document_row(document: Document) -> Row:
    """Return the properties of a document."""
    return {
        "title": document.title,
        "text": document.text,
        "source": document.source,
        "uri": document.uri,
        "metadata": json.dumps(document.metadata, ensure_ascii=False, sort_keys=True),
    }


def chunk_row(chunk: Chunk) -> Row:
    """Return the properties of a chunk; `words` is its length as keyword search counts it."""
    words = len(content_words(chunk.title_path))
    words += sum(len(content_words(sentence)) for sentence in sentences(chunk.text))
    return {
        "doc_id": chunk.doc_id,
        "title": chunk.title,
        "text": chunk.text,
        "start": chunk.start,
        "end": chunk.end,
        "tokens": chunk.tokens,
        "words": words,
        "places": json.dumps(chunk.places, ensure_ascii=False) if chunk.places else None,
        "tables": tables_text(chunk.tables) if chunk.tables else None,
        "unsure": json.dumps(chunk.unsure) if chunk.unsure else None,
        "section": chunk.section or None,
    }


def entity_row(entity: Entity) -> Row:
    """Return the properties of an entity; `name_keys` are what it is found by.

    A name that no index takes stands in `long_name` too.
    """
    keys = dict.fromkeys(name_key(name)[:LONGEST_NAME] for name in (entity.name, *entity.aliases))
    return {
        "name": entity.name[:LONGEST_NAME],
        "long_name": entity.name if len(entity.name) > LONGEST_NAME else None,
        "aliases": list(entity.aliases),
        "description": entity.description,
        "type": entity.type,
        "name_keys": list(keys),
        "chunk_ids": list(entity.chunk_ids),
    }


def community_row(community: Community) -> Row:
    """Return the properties of a community with its report."""
    findings = [finding.to_json() for finding in community.findings]
    return {
        "level": community.level,
        "title": community.title,
        "summary": community.summary,
        "rating": community.rating,
        "rating_reason": community.rating_reason,
        "findings": json.dumps(findings, ensure_ascii=False),
        "size": community.size,
        "parent": community.parent,
    }


def edge_row(relation: Relation, kb: str, *, typed: bool) -> Row:
    """Return a relation as a relationship: its ends, its type and its properties."""
    properties = {
        "id": f"{kb}/{relation.id}",
        "item_id": relation.id,
        "kb": kb,
        "predicate": relation.predicate,
        "weight": relation.weight,
        "description": relation.description or None,
        "chunk_ids": list(relation.chunk_ids) or None,
    }
    return {
        "source": relation.source,
        "target": relation.target,
        "type": relationship_type(relation, typed=typed),
        "properties": properties,
    }


_PROPERTIES: Mapping[ItemKind, Callable[[Any], Row]] = {
    "document": document_row,
    "chunk": chunk_row,
    "entity": entity_row,
    "community": community_row,
}


def node_rows(kind: ItemKind, rows: Rows, kb: str) -> list[Row]:
    """Return items of a kind, but relations, as nodes: id, public labels, properties, vector."""
    return [
        {
            "item_id": item.id,
            "labels": public_labels(kind, item.type if kind == "entity" else ""),
            "properties": {
                "id": f"{kb}/{item.id}",
                "item_id": item.id,
                "kb": kb,
                **_PROPERTIES[kind](item),
            },
            "vector": vector,
        }
        for item, vector in zip(rows.items, vectors_of(rows), strict=True)
    ]


def vectors_of(rows: Rows) -> Iterator[list[float] | None]:
    """Yield the vector of each item, None for one without."""
    for vector in rows.vectors:
        yield vector.tolist() if vector.any() else None
