"""Items as the rows that statements take: plain values, nothing that is empty."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hoptrail.core.text import content_words, name_key, sentences
from hoptrail.core.types import Chunk, Community, Document, Entity, Relation
from hoptrail.core.types.table import tables_text
from hoptrail.stores.neo4j.names import entity_labels, public_labels, relationship_type
from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.serving import Rows

Row = dict[str, Any]

LONGEST_NAME = 1_000
"""Characters of a name that is looked up: indexes take some 8,000 bytes."""


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


def is_told(relation: Relation) -> bool:
    """Whether a relation has a text of its own; others share the vector of their predicate."""
    return bool(relation.description or relation.chunk_ids)


def relation_row(relation: Relation) -> Row:
    """Return the properties of the row by which a relation is found."""
    return {
        "source": relation.source,
        "target": relation.target,
        "predicate": relation.predicate,
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
            "labels": entity_labels(item) if kind == "entity" else public_labels(kind),
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
