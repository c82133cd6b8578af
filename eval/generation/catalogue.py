"""Catalogue of a knowledge base: titles and kinds of things, never a text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TypeVar

from hoptrail.core.errors import InputError
from hoptrail.stores.knowledge_base import KnowledgeBase

T = TypeVar("T")

_MAX_TITLES = 100
_MAX_TITLE_CHARACTERS = 120
_MAX_ENTITIES = 5000
_MAX_TYPES = 25


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Metadata of a corpus: titles of documents, and entity types with their numbers.

    Both come from even samples of what is there; types are the most frequent ones.
    """

    titles: tuple[str, ...]
    entity_types: tuple[tuple[str, int], ...]


def read_catalogue(kb: KnowledgeBase) -> Catalogue:
    """Return the catalogue of a knowledge base.

    Raises:
        InputError: If no document has a title.
    """
    titles = sorted({" ".join(row.title.split()) for row in kb.ledger()} - {""})
    if not titles:
        raise InputError(
            "the knowledge base holds no titles to describe it by", hint="give --description FILE"
        )
    ids = [str(entity_id) for entity_id in kb.index.entity_ids]
    entities = kb.store.entities(_evenly(ids, _MAX_ENTITIES))
    types = Counter(entity.type for entity in entities if entity.type)
    by_number = sorted(types.items(), key=lambda item: (-item[1], item[0]))
    return Catalogue(
        tuple(title[:_MAX_TITLE_CHARACTERS] for title in _evenly(titles, _MAX_TITLES)),
        tuple(by_number[:_MAX_TYPES]),
    )


def _evenly(items: list[T], wanted: int) -> list[T]:
    """Return that many items in even distances, all of them where there are no more."""
    if len(items) <= wanted:
        return items
    return [items[place * len(items) // wanted] for place in range(wanted)]
