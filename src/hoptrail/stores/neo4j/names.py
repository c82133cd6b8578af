"""Names in the database: labels, relationship types and indexes, and escaped search terms."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from hoptrail.core.types import Entity, Relation

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


def entity_labels(entity: Entity) -> list[str]:
    """Return the public labels of an entity."""
    return public_labels("entity", entity.type)


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
