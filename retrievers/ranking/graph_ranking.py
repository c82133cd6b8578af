"""Ranked rows of entities and relations as hits, and as Evidence with the passages behind them.

A ranking is two parallel arrays, rows (int32) and scores (float32), best first. Of a million scores
only those that are kept are sorted: a partition finds the least of them, and among equals at that
border the lowest rows stay, as if all had been sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from typing import TypeVar

import numpy as np

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.core.render import entity_line, relation_line
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Chunk, Entity, Evidence, Hit, Path, Relation
from hoptrail.core.types.graph import is_telling
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.passage_ranking import (
    chunk_similarities,
    fill_budget,
    load_passages,
)
from hoptrail.stores.snapshot.graph_index import Csr

_DECIMALS = 5
_TOKENS_PER_TURN = 25  # an entity and a relation with short names
T = TypeVar("T", Entity, Relation)


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
) -> Ranking:
    """Return the rows by falling score; scores equal to 1e-5 are ordered by row.

    Args:
        scores: By row; an array holds those of the rows from 0.
        most: How many to return; all where None.
        hops: As in `Ranking`.
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
    return Ranking(rows[order], values[order], hops or {})


def ranking_among(
    rows: IntArray,
    scores: FloatArray,
    most: int,
    hops: Mapping[int, int | None] | None = None,
) -> Ranking:
    """Return what `ranking_of` does, of distinct rows in ascending order beside their scores."""
    best = ranking_of(scores, most=most)
    return Ranking(rows[best.rows], best.scores, hops or {})


def graph_hits(
    view: View, entities: Ranking, relations: Ranking, *, channel: str, budget: int
) -> tuple[tuple[Hit[Entity], ...], tuple[Hit[Relation], ...], int]:
    """Return the best entities and relations that fit, and the tokens they take when rendered.

    Those that were deleted meanwhile are left out.

    Args:
        view: The knowledge base.
        entities: Best first.
        relations: Best first.
        channel: Named in every hit.
        budget: Tokens.
    """
    most = max(budget, 0) // _TOKENS_PER_TURN
    index, store = view.index, view.store
    return take_turns(
        _hits(entities.first(most), index.entity_ids, store.entities, channel),
        _hits(relations.first(most), index.relation_ids, store.relations, channel),
        budget,
        beside_passages=view.has_passages,
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


def _hits(
    ranking: Ranking, all_ids: IdArray, read: Callable[[Sequence[str]], Sequence[T]], channel: str
) -> tuple[Hit[T], ...]:
    ids = [str(id_) for id_ in all_ids[ranking.rows]]
    found = {item.id: item for item in read(ids)}
    scores = np.round(ranking.scores.astype(np.float64), _DECIMALS)
    return tuple(
        Hit(found[id_], score, channel, ranking.hops.get(row), ranking.reasons.get(row, ()))
        for id_, row, score in zip(ids, ranking.rows.tolist(), scores.tolist(), strict=True)
        if id_ in found
    )


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


def softmax(scores: FloatArray, temperature: float = 1.0) -> FloatArray:
    """Return shares that sum to 1, the steeper the lower the temperature; empty stays empty."""
    if len(scores) == 0:
        return scores
    exponents = np.exp((scores - scores.max()) / temperature)
    shares: FloatArray = exponents / exponents.sum()
    return shares


def scaled_to_best(ranks: np.ndarray[tuple[int], np.dtype[np.float64]]) -> FloatArray:
    """Return the ranks divided by the best one; all zeros stay zeros."""
    best = ranks.max(initial=0.0)
    return (ranks / best if best > 0 else ranks).astype(np.float32)


def in_turns(*orders: tuple[Iterable[int], int]) -> Iterator[int]:
    """Yield so many rows of each order in each turn, every row once, until all are at their end.

    Args:
        *orders: Each with its number of rows a turn.
    """
    waiting = [(iter(rows), count) for rows, count in orders]
    seen: set[int] = set()
    while turn := [row for rows, count in waiting for row in islice(rows, count)]:
        for row in turn:
            if row not in seen:
                seen.add(row)
                yield row


_GRAPH_SHARE = 0.25  # of the budget, where there are passages; the share that KET-RAG gives it
_ENTITY_SHARE = 0.05
_RELATION_SHARE = 0.1


def assemble(
    view: View,
    channel: str,
    *,
    k: int,
    budget: int,
    entities: Ranking,
    relations: Ranking,
    chunks: Ranking,
    paths: Sequence[Hit[Path]] = (),
    loaded: Mapping[str, Chunk] | None = None,
) -> Evidence:
    """Return the best of each ranking: a quarter of the budget for the graph, the rest for text.

    Without passages the graph has the whole budget; at least `k` passages are returned in any case.
    Paths stand for relations that are ranked anyway and are all kept.

    Args:
        view: What the rows belong to.
        channel: Named in every hit.
        k: Least number of passages.
        budget: Tokens.
        entities: Rows of entities, best first.
        relations: Rows of relations, best first.
        chunks: Rows of passages, best first.
        paths: Paths, best first.
        loaded: Passages by id that need not be read again.
    """
    room = round(budget * _GRAPH_SHARE) if view.has_passages else budget
    kept_entities, kept_relations, spent = graph_hits(
        view, entities, relations, channel=channel, budget=room
    )
    count = len(fill_budget(view.index, chunks.rows, budget - spent, at_least=k))
    best = chunks.first(count)
    passages = load_passages(
        view,
        best.rows,
        best.scores,
        channel=channel,
        provenance=[chunks.reasons.get(row, ()) for row in best.rows.tolist()],
        loaded=loaded,
    )
    return Evidence(kept_entities, kept_relations, passages, tuple(paths))


def passages_behind(
    view: View, entities: Ranking, relations: Ranking, vector: FloatArray
) -> Ranking:
    """Rank passages by their similarity and by the found entities and relations that they hold.

    To a passage's similarity up to 0.05 is added for the entities it mentions and up to 0.1 for the
    relations it states; an item counts one over its place, and the passage with most of a kind gets
    all of it.

    Args:
        view: The knowledge base.
        entities: Found entities, best first.
        relations: Found relations, best first.
        vector: The question's unit vector, shape (dim,).
    """
    similarities = chunk_similarities(view, vector)
    scores: FloatArray = (
        similarities
        + _ENTITY_SHARE * _support(view.index.entity_chunks, entities, len(similarities))
        + _RELATION_SHARE * _support(view.index.relation_chunks, relations, len(similarities))
    ).astype(np.float32)
    return ranking_of(scores)


def _support(chunks_of: Csr, items: Ranking, passages: int) -> FloatArray:
    """Return how much of the items each passage holds, shape (passages,), at most 1."""
    positions, chunks = chunks_of.gather(items.rows)
    support = np.bincount(chunks, weights=1.0 / (1 + positions), minlength=passages)
    scaled: FloatArray = (support / max(support.max(initial=0.0), 1e-9)).astype(np.float32)
    return scaled
