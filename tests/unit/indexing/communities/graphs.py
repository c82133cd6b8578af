"""Small graphs of entities, published in a knowledge base."""

from __future__ import annotations

from collections.abc import Iterable

from hoptrail.core.types import Entity, Relation
from hoptrail.indexing.communities.building import note_changes
from hoptrail.stores.knowledge_base import KnowledgeBase

Pair = tuple[str, str]


def groups(count: int, *, size: int = 4) -> list[Pair]:
    """Complete groups of entities such as `c2` (group c), each joined to the next by one pair."""
    pairs = []
    for place in range(count):
        names = [f"{chr(ord('a') + place)}{member}" for member in range(size)]
        pairs += [(one, other) for one in names for other in names if one < other]
        if place:
            pairs.append((f"{chr(ord('a') + place - 1)}0", names[1]))
    return pairs


def publish_graph(
    kb: KnowledgeBase,
    pairs: Iterable[Pair],
    described: dict[str, str] | None = None,
    *,
    alone: Iterable[str] = (),
) -> None:
    """Make these related pairs and single entities the graph, publish it, and note the changes."""
    known = sorted(set(pairs))
    names = sorted({name for pair in known for name in pair} | set(alone))
    told = described or {}
    kb.replace_graph(
        [Entity(name, name.upper(), "thing", told.get(name, "")) for name in names],
        [Relation(f"{one}-{other}", one, "knows", other) for one, other in known],
        [],
    )
    kb.publish()
    note_changes(kb)
