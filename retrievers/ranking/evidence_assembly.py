"""From ranked rows of the graph, and the passages behind them, to Evidence under one budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.types import Chunk, Evidence, Hit, Path
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.graph_ranking import (
    Ranking,
    graph_hits,
    ranking_of,
)
from hoptrail.retrievers.ranking.passage_ranking import (
    chunk_similarities,
    fill_budget,
    load_passages,
)
from hoptrail.stores.snapshot.graph_index import Csr

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
