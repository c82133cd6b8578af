"""The material from which a report on a community is written, by a model or without one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hoptrail.core.names import is_unnamed
from hoptrail.core.types import Chunk, Community, Entity, Relation

MATERIAL_TOKENS = 8_000
"""Default size of the material in a prompt, as in Microsoft GraphRAG."""
_THINGS = 2
_THINGS_OF_PART = 3


@dataclass(frozen=True, slots=True)
class ReportMaterial:
    """The most important members of one community and what is known of its parts.

    Attributes:
        community: The community; its report is not read.
        entities: Its entities, those with the most relations in it first.
        relations: Relations inside it, by the combined degree of their end points, highest first.
        chunks: Passages that support these relations, in the order in which they come first.
        children: Its parts that have a report, largest first.
        child_of: Id of the part that a relation lies inside of, by relation id.
        relation_count: Number of the relations inside it, those left out here included.
        graph_relations: Number of the relations of the whole graph.
        common_words: Words that say little because they stand all over the collection.
    """

    community: Community
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    children: tuple[Community, ...] = ()
    child_of: Mapping[str, str] = field(default_factory=dict)
    relation_count: int = 0
    graph_relations: int = 0
    common_words: frozenset[str] = frozenset()

    @property
    def tells_something(self) -> bool:
        """Whether a report says more than what is known of one thing, or than a parent's shows.

        That takes two named things, and three where the community is part of another one: how two
        of them are related stands in the report on that one. Dates and amounts are no such things.
        """
        named = (e for e in self.entities if not (e.is_value or is_unnamed(e.name)))
        least = _THINGS if self.community.parent is None else _THINGS_OF_PART
        return bool(self.relations) and sum(1 for _ in named) >= least
