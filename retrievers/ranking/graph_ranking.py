"""Ranked rows of entities and relations as hits, and how many of them a budget allows.

A ranking is two parallel arrays, rows (int32) and scores (float32), best first. Of a million scores
only those that are kept are sorted: a partition finds the least of them, and among equals at that
border the lowest rows stay, as if all had been sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.render import entity_line, relation_line
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Entity, Hit, Relation
from hoptrail.core.types.graph import is_telling
from hoptrail.retrievers.base.snapshot_view import View

_DECIMALS = 5


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rows of one kind as in `GraphIndex`, best first, each with its score.

    Attributes:
        rows: Distinct row numbers, shape (n,).
        scores: Their scores, shape (n,).
        hops: Distance to the nearest start by row, where it is known.
        reasons: By row the ids or words that led there.
    """

    rows: IntArray
    scores: FloatArray
    hops: Mapping[int, int | None] = field(default_factory=dict)
    reasons: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    def first(self, most: int) -> Ranking:
        """Return the best of them."""
        return Ranking(self.rows[:most], self.scores[:most], self.hops, self.reasons)


def ranking_of(
    scores: Mapping[int, float] | FloatArray,
    *,
    most: int | None = None,
    hops: Mapping[int, int | None] | None = None,
    reasons: Mapping[int, tuple[str, ...]] | None = None,
) -> Ranking:
    """Return the rows by falling score; scores equal to 1e-5 are ordered by row.

    Args:
        scores: By row; an array holds those of the rows from 0.
        most: How many to return; all where None.
        hops: As in `Ranking`.
        reasons: As in `Ranking`.
    """
    if isinstance(scores, Mapping):
        rows = np.fromiter(scores, dtype=np.int32, count=len(scores))
        values = np.fromiter(scores.values(), dtype=np.float32, count=len(scores))
    else:
        rows, values = np.arange(len(scores), dtype=np.int32), scores
    rounded = np.round(values, _DECIMALS)
    if most is not None and 0 < most < len(rows):
        least = np.partition(rounded, len(rows) - most)[len(rows) - most]
        above, equal = np.flatnonzero(rounded > least), np.flatnonzero(rounded == least)
        first = equal[np.argsort(rows[equal], kind="stable")[: most - len(above)]]
        kept = np.concatenate([above, first])
        rows, values, rounded = rows[kept], values[kept], rounded[kept]
    order = np.lexsort((rows, -rounded))[:most]
    return Ranking(rows[order], values[order], hops or {}, reasons or {})


def ranking_among(
    rows: IntArray,
    scores: FloatArray,
    most: int,
    hops: Mapping[int, int | None] | None = None,
) -> Ranking:
    """Return what `ranking_of` does, of distinct rows in ascending order beside their scores."""
    best = ranking_of(scores, most=most)
    return Ranking(rows[best.rows], best.scores, hops or {})


def entity_hits(view: View, ranking: Ranking, channel: str) -> tuple[Hit[Entity], ...]:
    """Return the ranked entities in order; those deleted meanwhile are left out."""
    ids = [str(id_) for id_ in view.index.entity_ids[ranking.rows]]
    found = {entity.id: entity for entity in view.store.entities(ids)}
    return tuple(
        Hit(found[id_], score, channel, ranking.hops.get(row), ranking.reasons.get(row, ()))
        for id_, row, score in _beside(ids, ranking)
        if id_ in found
    )


def relation_hits(view: View, ranking: Ranking, channel: str) -> tuple[Hit[Relation], ...]:
    """Return the ranked relations in order; those deleted meanwhile are left out."""
    ids = [str(id_) for id_ in view.index.relation_ids[ranking.rows]]
    found = {relation.id: relation for relation in view.store.relations(ids)}
    return tuple(
        Hit(found[id_], score, channel, ranking.hops.get(row), ranking.reasons.get(row, ()))
        for id_, row, score in _beside(ids, ranking)
        if id_ in found
    )


def take_turns(
    entities: Sequence[Hit[Entity]],
    relations: Sequence[Hit[Relation]],
    budget: int,
    *,
    beside_passages: bool = False,
) -> tuple[tuple[Hit[Entity], ...], tuple[Hit[Relation], ...], int]:
    """Return the entities and relations that fit, and the tokens they take when rendered.

    They take turns, best first, so that neither crowds the other out.

    Args:
        entities: Best first.
        relations: Best first.
        budget: Tokens.
        beside_passages: Whether they are rendered beside passages, where a relation that tells
            nothing is left out: it takes none of the budget.
    """
    lines = list(_lines(entities, relations, beside_passages=beside_passages))
    whole = estimate_tokens("\n".join(line for line, _ in lines if line))
    if whole <= budget:  # as it mostly is: one estimate is far cheaper than one a line
        return tuple(entities), tuple(relations), whole
    spent, kept_entities, kept_relations = 0, 0, 0
    for line, is_entity in lines:
        tokens = estimate_tokens(line) if line else 0
        if spent + tokens > budget:
            break
        spent += tokens
        kept_entities += is_entity
        kept_relations += not is_entity
    return tuple(entities[:kept_entities]), tuple(relations[:kept_relations]), spent


def _beside(ids: Sequence[str], ranking: Ranking) -> Iterator[tuple[str, int, float]]:
    scores = np.round(ranking.scores.astype(np.float64), _DECIMALS)
    return zip(ids, ranking.rows.tolist(), scores.tolist(), strict=True)


def _lines(
    entities: Sequence[Hit[Entity]], relations: Sequence[Hit[Relation]], *, beside_passages: bool
) -> Iterator[tuple[str, bool]]:
    """Yield an entity's and a relation's line by turns, and which it is; "" if not rendered."""
    described: set[str] = set()
    for entity, relation in zip_longest(entities, relations):
        if entity is not None:
            yield entity_line(entity.item), True
        if relation is None:
            continue
        if beside_passages and not is_telling(relation.item):
            yield "", False
            continue
        description = relation.item.description
        yield relation_line(relation.item, described=description not in described), False
        described.add(description)
