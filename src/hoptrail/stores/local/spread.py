"""Where a walk from a question comes to items that are not read yet: what to read next.

Mass starts at what the question names and resembles, and is handed on along mentions and relations,
as in the PageRank of the retrievers (`core.algorithms.pagerank`). But the items come in parts: at
one that is not read the mass waits. What the least similar of the found items have, all others get.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hoptrail.core.types import Relation
from hoptrail.stores.local.held_items import HeldChunk, HeldEntity

_DAMPING = 0.8
_TOLERANCE = 2e-5  # mass for each edge of an item that may be left waiting there, of a total of 1
_MOST_ROUNDS = 20
_TEMPERATURE = 0.03
_TEXT_SHARE = 1 / 3
_MENTION_WEIGHT, _RELATION_POWER = 2.0, 2.0
_LEAST_SIMILARITY = 0.01
_LIKELY_SIMILARITY = 0.3  # where nothing was found by it
_MOST_MENTIONS = 1_000  # of an entity; its mass has no weight at any of more

Edges = Mapping[str, float]


class Spread:
    """Mass that is handed on, and waits at what is not read.

    Args:
        entity: Gives an entity by id, None for one that is not read.
        chunk: Gives a passage.
        relations_of: Gives the relations of an entity.
        near_chunks: Similarities of passages to the question, by id.
        near_relations: Of relations, by id or predicate.
    """

    def __init__(
        self,
        entity: Callable[[str], HeldEntity | None],
        chunk: Callable[[str], HeldChunk | None],
        relations_of: Callable[[str], Sequence[Relation]],
        near_chunks: Mapping[str, float],
        near_relations: Mapping[str, float],
    ) -> None:
        self._entity = entity
        self._chunk = chunk
        self._relations_of = relations_of
        self._near_chunks = near_chunks
        self._near_relations = near_relations
        self._least_chunk = min(near_chunks.values(), default=_LIKELY_SIMILARITY)
        self._least_relation = min(near_relations.values(), default=_LIKELY_SIMILARITY)
        self._at_entities: dict[str, float] = {}
        self._at_chunks: dict[str, float] = {}
        self._edges: dict[str, tuple[Edges, Edges, float]] = {}
        self._least_at_entities: dict[str, float] = {}
        self._least_at_chunks: dict[str, float] = {}

    def start(self, entities: Iterable[str]) -> None:
        """Put mass at entities and, by their similarity to the question, at the near passages."""
        names = list(entities)
        best = max(self._near_chunks.values(), default=0.0)
        shares = {
            id_: math.exp((score - best) / _TEMPERATURE) for id_, score in self._near_chunks.items()
        }
        total = sum(shares.values())
        of_text = _TEXT_SHARE if names else 1.0
        self._at_chunks = {id_: of_text * share / total for id_, share in shares.items()}
        self._at_entities = dict.fromkeys(names, (1.0 - of_text) / max(len(names), 1))

    def reached(self) -> tuple[list[str], list[str]]:
        """Hand mass on as far as items are read; return entities and passages where it waits.

        Those with the most come first, and those to which nearly none came are left out.
        """
        of_entities, of_chunks = self._least_at_entities, self._least_at_chunks
        for _ in range(_MOST_ROUNDS):
            pushed = [
                *[self._push_entity(*one) for one in _loaded(self._at_entities, of_entities)],
                *[self._push_chunk(*one) for one in _loaded(self._at_chunks, of_chunks)],
            ]
            if not any(pushed):
                break
        entities, chunks = _taken_unread(of_entities), _taken_unread(of_chunks)
        return (
            [one for one, _ in _loaded(self._at_entities) if one in entities],
            [one for one, _ in _loaded(self._at_chunks) if one in chunks],
        )

    def _push_entity(self, id_: str, mass: float) -> bool:
        """Hand on the mass of an entity, if it is read and each edge gets enough."""
        if id_ not in self._edges:
            held = self._entity(id_)
            if held is None:
                self._least_at_entities[id_] = math.inf
                return False
            self._edges[id_] = self._edges_of(id_, held)
        chunks, others, total = self._edges[id_]
        self._least_at_entities[id_] = _TOLERANCE * max(len(chunks) + len(others), 1)
        if mass <= self._least_at_entities[id_]:
            return False
        self._at_entities[id_] -= mass
        unit = _DAMPING * mass / max(total, _TOLERANCE)
        _hand_on(unit, chunks, self._at_chunks)
        _hand_on(unit, others, self._at_entities)
        return True

    def _push_chunk(self, id_: str, mass: float) -> bool:
        """Hand on the mass of a passage to what it mentions."""
        held = self._chunk(id_)
        if held is None:
            self._least_at_chunks[id_] = math.inf
            return False
        self._least_at_chunks[id_] = _TOLERANCE * max(len(held.entity_ids), 1)
        if mass <= self._least_at_chunks[id_]:
            return False
        self._at_chunks[id_] -= mass
        share = _DAMPING * mass / max(len(held.entity_ids), 1)
        _hand_on(share, dict.fromkeys(held.entity_ids, 1.0), self._at_entities)
        return True

    def _edges_of(self, id_: str, held: HeldEntity) -> tuple[Edges, Edges, float]:
        """Return weights of the passages of an entity, of what its relations lead to, and all."""
        chunks = {one: self._mention_weight(one) for one in held.item.chunk_ids[:_MOST_MENTIONS]}
        others: dict[str, float] = {}
        for relation in self._relations_of(id_):
            other = relation.target if relation.source == id_ else relation.source
            others[other] = others.get(other, 0.0) + self._relation_weight(relation)
        return chunks, others, sum(chunks.values()) + sum(others.values())

    def _mention_weight(self, chunk: str) -> float:
        near = self._near_chunks.get(chunk, self._least_chunk)
        return _MENTION_WEIGHT * math.sqrt(max(near, _LEAST_SIMILARITY))

    def _relation_weight(self, relation: Relation) -> float:
        of_predicate = self._near_relations.get(relation.predicate, self._least_relation)
        near = self._near_relations.get(relation.id, of_predicate)
        return float(max(near, _LEAST_SIMILARITY) ** _RELATION_POWER)


def _hand_on(unit: float, edges: Edges, to: dict[str, float]) -> None:
    for id_, weight in edges.items():
        to[id_] = to.get(id_, 0.0) + unit * weight


def _loaded(
    waiting: Mapping[str, float], least: Mapping[str, float] | None = None
) -> list[tuple[str, float]]:
    """Return the items with mass that matters, those with the most first, then by id.

    Args:
        waiting: The mass by item.
        least: Mass that has to be exceeded, where that is known.
    """
    known = least or {}
    found = [(-mass, id_) for id_, mass in waiting.items() if mass > known.get(id_, _TOLERANCE)]
    return [(id_, -mass) for mass, id_ in sorted(found)]


def _taken_unread(least: dict[str, float]) -> set[str]:
    """Return the items that turned out not to be read, and forget it: they may be read now."""
    found = {id_ for id_, mass in least.items() if mass == math.inf}
    for id_ in found:
        del least[id_]
    return found


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
