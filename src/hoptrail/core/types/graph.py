"""Entities, relations, communities and paths, as extracted, resolved and merged."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from hoptrail.core.types.record import Record

VALUE_TYPES = frozenset({"date", "time", "money", "number", "mail", "url", "phone", "code"})
"""Types of entities that are values of a fact rather than things."""
CO_OCCURS = "co-occurs with"
"""Predicate of relations that were found without a model and say no more than their sentence."""

_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Entity(Record):
    """A resolved node; `chunk_ids` are the passages that mention it."""

    id: str
    name: str
    type: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()

    @property
    def is_value(self) -> bool:
        """Whether it is a value of a fact, such as a date, rather than a thing."""
        return self.type.lower() in VALUE_TYPES


@dataclass(frozen=True, slots=True)
class Relation(Record):
    """A directed edge; `source` and `target` are entity ids, `chunk_ids` passages.

    `subject` and `object` carry the end points' names, so that a relation reads alone.
    """

    id: str
    source: str
    predicate: str
    target: str
    description: str = ""
    weight: float = 1.0
    chunk_ids: tuple[str, ...] = ()
    subject: str = ""
    object: str = ""

    @property
    def text(self) -> str:
        """The description, or `head predicate tail` where there is none."""
        return self.description or f"{self.subject} {self.predicate} {self.object}"

    @property
    def is_bare(self) -> bool:
        """Whether it has no text of its own and shares the vector of its predicate."""
        return not self.description and not self.chunk_ids


@dataclass(frozen=True, slots=True)
class Finding(Record):
    """One insight of a community report, and the relations and passages that it rests on."""

    summary: str
    explanation: str = ""
    relation_ids: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Community(Record):
    """A group of entities with its report; level 0 is the coarsest.

    `title`, `summary`, `rating` (0 to 10), `rating_reason` and `findings` are the report and empty
    where there is none. `size` counts the entities; `entity_ids` may be left out where they are
    many.
    """

    id: str
    level: int
    title: str = ""
    summary: str = ""
    rating: float = 0.0
    rating_reason: str = ""
    findings: tuple[Finding, ...] = ()
    parent: str | None = None
    size: int = 0
    entity_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Path(Record):
    """A chain of relations with its score and, once judged, a verdict."""

    relations: tuple[Relation, ...]
    score: float = 0.0
    verdict: str | None = None


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


@dataclass(frozen=True, slots=True)
class Merge(Record):
    """Two mention groups that resolution joined into one entity.

    `kept` and `merged` are the groups' keys in resolution's own terms (such as name and type).
    Undoing a merge vetoes the pair, so that later resolution keeps the two apart.
    """

    id: str
    entity_id: str
    kept: str
    merged: str
    reason: str = ""

    @staticmethod
    def make_id(kept: str, merged: str) -> str:
        """Return the id of the pair in either order: 16 hexadecimal digits."""
        key = "\0".join(sorted((kept, merged)))
        return hashlib.sha256(key.encode()).hexdigest()[:16]


def is_telling(relation: Relation) -> bool:
    """Return whether a relation says more than the passage that it was read from shows at a glance.

    Two names that share a sentence say nothing, and neither does a triple that lacks a part, joins
    a thing with itself, or is about a bare number or date ("1921 | was | Norwegian"). On a graph
    without passages every relation counts: there is nothing else to read.
    """
    subject, predicate, object_ = relation.subject, relation.predicate, relation.object
    if predicate == CO_OCCURS or not (subject.strip() and predicate.strip() and object_.strip()):
        return False
    is_named = _LETTER.search(subject) is not None
    return is_named and subject.casefold() != object_.casefold()
