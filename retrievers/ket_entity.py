"""KET-RAG's entity channel: a local search on the graph around what the question names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.retrievers.graph_walker import Walk, stated_in, walk_from
from hoptrail.retrievers.passages import ranked_rows
from hoptrail.retrievers.query import Query
from hoptrail.retrievers.seeds import named_entities
from hoptrail.retrievers.subgraph import Subgraph
from hoptrail.retrievers.view import View
from hoptrail.stores.graph_index import GraphIndex

_HOPS = 2
_RELATIONS_PER_ENTITY = 10
_NEAREST = 10
_NEAREST_FOR_NAMES = 50
_NEAREST_AS_SEEDS = 3
_NEAREST_WEIGHT = 0.3
_ROUNDS = 2
_PASSAGES_READ = 10
_PASSAGES_WITH_RELATIONS = 30
_DECIMALS = 7


@dataclass(frozen=True, slots=True)
class LocalGraph:
    """What the channel found: rows as in `GraphIndex`, best first, with scores up to 1 beside."""

    walk: Walk
    entities: IntArray
    entity_scores: FloatArray
    relations: IntArray
    relation_scores: FloatArray
    chunks: IntArray


def search_graph(query: Query, view: View, similarities: FloatArray) -> LocalGraph:
    """Search the graph around the entities that are named by or nearest to the question.

    As in GraphRAG's local search, which is KET-RAG's entity channel, the entities nearest to the
    question bring in their relations (the ten most similar to the question each) and their source
    passages. Two things are added. Entities that the question names are seeds, from which the walk
    goes two hops. And source passages are ranked by personalised PageRank on the subgraph reached,
    as HippoRAG does on a whole graph: so a passage two hops away is found that says nothing
    resembling the question.

    Source: Edge et al., "From local to global: a graph RAG approach", 2024 (local search of its
    code); Huang et al., KET-RAG, 2025, section 4; Gutierrez et al., "From RAG to memory"
    (HippoRAG 2), 2025.

    Args:
        query: The question.
        view: The knowledge base.
        similarities: Similarity of every chunk to the question, shape (chunks,).
    """
    near, near_scores = view.vectors["entity"].search(query.unit, _NEAREST_FOR_NAMES)
    near_rows = view.index.entity_rows(near)
    seeds = named_entities(query, view, near) or {
        row: _NEAREST_WEIGHT * score
        for row, score in zip(
            near_rows.tolist()[:_NEAREST_AS_SEEDS], near_scores.tolist(), strict=False
        )
        if score > 0
    }
    walk = walk_from(view, query.unit, seeds, hops=_HOPS, limit=_RELATIONS_PER_ENTITY)
    near_rows = near_rows[:_NEAREST]
    walk.join(walk_from(view, query.unit, near_rows.tolist(), hops=1, limit=_RELATIONS_PER_ENTITY))
    read = ranked_rows(similarities)[:_PASSAGES_READ]
    for _ in range(_ROUNDS):
        graph = Subgraph.around(view.index, walk, read, similarities)
        entity_ranks, chunk_ranks = graph.spread(seeds, similarities)
        chunks, _scores = _sorted(graph.chunks, chunk_ranks)
        read = chunks[:_PASSAGES_READ]
        walk.join(stated_in(view, query.unit, read))
    walk.join(stated_in(view, query.unit, chunks[:_PASSAGES_WITH_RELATIONS]))
    relations, relation_scores = _rank_relations(view.index, walk, graph.entities, entity_ranks)
    entities, entity_scores = _sorted(graph.entities, entity_ranks)
    return LocalGraph(walk, entities, entity_scores, relations, relation_scores, chunks)


def _rank_relations(
    index: GraphIndex, walk: Walk, entities: IntArray, ranks: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Order the relations by their similarity to the question times the ranks of their ends."""
    rows = np.fromiter(walk.relations, dtype=np.int32, count=len(walk.relations))
    relevance = np.array([walk.relevance[row] for row in rows.tolist()], dtype=np.float32)
    rank_of = dict(zip(entities.tolist(), ranks.tolist(), strict=True))
    ends = zip(
        index.relation_source[rows].tolist(), index.relation_target[rows].tolist(), strict=True
    )
    end_ranks = [rank_of.get(source, 0.0) + rank_of.get(target, 0.0) for source, target in ends]
    return _sorted(rows, relevance * np.array(end_ranks, dtype=np.float32))


def _sorted(rows: IntArray, scores: FloatArray) -> tuple[IntArray, FloatArray]:
    numbers = np.lexsort((rows, -np.round(scores, _DECIMALS)))
    return rows[numbers], scores[numbers]
