"""A bounded walk over the knowledge graph that follows what resembles the question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.retrievers.base.snapshot_view import View

_DECIMALS = 5


@dataclass(slots=True)
class QuestionWalk:
    """Rows of the entities and relations reached, in order, each with how it was reached.

    Attributes:
        entities: Distance of each entity to the nearest start; None where another walk found it.
        relations: Distance of each relation's nearer end, likewise.
        relevance: Similarity of each relation to the question.
        via_relation: The relation that led to an entity (none for a start).
        via_entity: The entity whose relation it is.
    """

    entities: dict[int, int | None] = field(default_factory=dict)
    relations: dict[int, int | None] = field(default_factory=dict)
    relevance: dict[int, float] = field(default_factory=dict)
    via_relation: dict[int, int] = field(default_factory=dict)
    via_entity: dict[int, int] = field(default_factory=dict)

    def join(self, other: QuestionWalk) -> None:
        """Add what another walk reached and this one did not, without a distance."""
        self.entities = {**dict.fromkeys(other.entities), **self.entities}
        self.relations = {**dict.fromkeys(other.relations), **self.relations}
        self.relevance = {**other.relevance, **self.relevance}
        self.via_relation = {**other.via_relation, **self.via_relation}
        self.via_entity = {**other.via_entity, **self.via_entity}


def walk_from(
    view: View,
    vector: FloatArray,
    starts: Iterable[int],
    *,
    hops: int,
    limit: int,
) -> QuestionWalk:
    """Walk from entities along their relations that are most similar to the question.

    Args:
        view: The knowledge base.
        vector: The question's unit vector, shape (dim,).
        starts: Entity rows.
        hops: How far to go.
        limit: How many relations of each entity are followed.
    """
    walk = QuestionWalk(entities=dict.fromkeys(starts, 0))
    frontier = list(walk.entities)
    for hop in range(hops):
        frontier = _step(view, vector, walk, frontier, hop, limit)
        if not frontier:
            break
    return walk


def stated_in(view: View, vector: FloatArray, chunks: IntArray) -> QuestionWalk:
    """Return the relations that these passages state and their ends, none with a distance."""
    _, stated = view.index.chunk_relations.gather(chunks)
    relations = np.unique(stated)
    scores = view.vectors["relation"].similarities_at(vector, relations)
    source = view.index.relation_source[relations]
    ends = np.concatenate([source, view.index.relation_target[relations]])
    rows = relations.tolist()
    return QuestionWalk(
        entities=dict.fromkeys(ends.tolist()),
        relations=dict.fromkeys(rows),
        relevance=dict(zip(rows, scores.tolist(), strict=True)),
        via_entity=dict(zip(rows, source.tolist(), strict=True)),
    )


def _step(
    view: View, vector: FloatArray, walk: QuestionWalk, frontier: list[int], hop: int, limit: int
) -> list[int]:
    """Follow the best relations of the frontier; return the entities reached for the first time."""
    rows = np.array(frontier, dtype=np.int32)
    positions, relations, scores = _best_relations(view, vector, rows, limit)
    reached: list[int] = []
    for entity, relation, score in zip(
        rows[positions].tolist(), relations.tolist(), scores.tolist(), strict=True
    ):
        if relation in walk.relations:
            continue
        walk.relations[relation] = hop
        walk.relevance[relation] = score
        walk.via_entity[relation] = entity
        for end in (view.index.relation_source[relation], view.index.relation_target[relation]):
            if int(end) not in walk.entities:
                walk.entities[int(end)] = hop + 1
                walk.via_relation[int(end)] = relation
                reached.append(int(end))
    return reached


def _best_relations(
    view: View, vector: FloatArray, rows: IntArray, limit: int
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return `(positions, relations, similarities)`: the best `limit` relations of each entity."""
    positions, relations = view.index.entity_relations.gather(rows)
    distinct, places = np.unique(relations, return_inverse=True)
    similarities = view.vectors["relation"].similarities_at(vector, distinct)
    scores = np.round(similarities, _DECIMALS)[places]
    order = np.lexsort((relations, -scores, positions))
    positions, relations, scores = positions[order], relations[order], scores[order]
    rank = np.arange(len(positions)) - np.searchsorted(positions, positions, side="left")
    kept = rank < limit
    return positions[kept], relations[kept], scores[kept]
