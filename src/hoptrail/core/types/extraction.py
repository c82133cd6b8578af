"""Entities and relations of one chunk as an extractor read them, before they are resolved."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.types.record import Record


@dataclass(frozen=True, slots=True)
class ExtractedEntity(Record):
    """A mention of an entity in one chunk."""

    name: str
    type: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractedRelation(Record):
    """A relation stated in one chunk, its end points by surface name."""

    subject: str
    predicate: str
    object: str
    description: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Extraction(Record):
    """All mentions and relations of one chunk (or of one bare list of triples)."""

    entities: tuple[ExtractedEntity, ...] = ()
    relations: tuple[ExtractedRelation, ...] = ()
