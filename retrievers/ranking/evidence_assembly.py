"""From ranked rows of the graph and of passages to Evidence under one budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hoptrail.core.types import Chunk, Evidence, Hit, Path
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.graph_ranking import (
    Ranking,
    entity_hits,
    relation_hits,
    take_turns,
)
from hoptrail.retrievers.ranking.passage_ranking import fill_budget, load_passages

_GRAPH_SHARE = 0.25  # of the budget, where there are passages; the share that KET-RAG gives it
_TOKENS_PER_TURN = 25  # an entity and a relation with short names


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
    most = max(room, 0) // _TOKENS_PER_TURN
    kept_entities, kept_relations, spent = take_turns(
        entity_hits(view, entities.first(most), channel),
        relation_hits(view, relations.first(most), channel),
        room,
        beside_passages=view.has_passages,
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
