"""The items that a question touches, and what is counted over all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hoptrail.core.types import Relation
from hoptrail.stores.local.held_items import HeldChunk, HeldEntity


@dataclass(frozen=True, slots=True)
class Region:
    """Items by id; of each relation an end is among the entities.

    Attributes:
        chunks: Passages.
        entities: Entities; the ids of passages and relations outside the region stand in them too.
        relations: Their relations.
        frequencies: In how many passages of the base a word stands, where it was asked.
    """

    chunks: Mapping[str, HeldChunk]
    entities: Mapping[str, HeldEntity]
    relations: Mapping[str, Relation]
    frequencies: Mapping[str, int] = field(default_factory=dict)
