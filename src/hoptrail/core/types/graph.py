"""Entities, relations, communities and paths of the knowledge graph."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.types.record import Record

VALUE_TYPES = frozenset({"date", "time", "money", "number", "mail", "url", "phone", "code"})
"""Types of entities that are values of a fact rather than things."""


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
