"""The surroundings of a question: its nearest passages, the graph's ranks, the candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from hoptrail.core.algorithms.sorted_sets import distinct
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.retrievers.anchors.named_entities import named_entities, nearest_as_seeds
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.graph_ranking import Ranking, ranking_among
from hoptrail.retrievers.ranking.scaling import scaled_to_best
from hoptrail.retrievers.setwise.candidates import Candidates
from hoptrail.retrievers.setwise.local_graph import LocalGraph
from hoptrail.retrievers.text.bm25 import occurrences, question_terms, scores_of_occurrences
from hoptrail.stores.snapshot.graph_index import rows_of

_NEAREST = 100  # passages to start from
_BY_PAGERANK = 60
_BY_SIMILARITY = 20
_BY_WORDS = 20
_PASSAGES_WITH_ENTITIES = 30
_NEAREST_ENTITIES = 50


@dataclass(frozen=True, slots=True)
class LocalSearch:
    """Result of the search that precedes the choice of passages.

    Attributes:
        nearest: Passages by similarity to the question.
        seeds: Weights of the entities that the search started from, by row.
        graph: Similarities of what was come upon.
        entity_ranks: PageRank of every entity, the best 1.
        candidates: The passages to choose from.
    """

    nearest: Ranking
    seeds: dict[int, float]
    graph: LocalGraph
    entity_ranks: FloatArray
    candidates: Candidates

    @classmethod
    def around(cls, query: Query, view: View, least: int = 0) -> Self:
        """Search around a question.

        The entities that it names are seeds; where it names none, the nearest of those that the
        nearest passages mention.

        Args:
            query: The question.
            view: The knowledge base.
            least: How many of the nearest passages are needed at least.
        """
        ids, scores = view.vectors["chunk"].search(query.unit, max(_NEAREST, least))
        nearest = Ranking(rows_of(view.index.chunk_ids, ids), scores)
        near, near_scores = _near_entities(query, view, nearest)
        named = named_entities(query, view, view.index.entity_ids[near])
        seeds = named or nearest_as_seeds(near, near_scores)
        graph = LocalGraph(view, query.unit)
        of_entities, of_passages = graph.rank(seeds, nearest)
        passages = scaled_to_best(of_passages)
        reached = np.flatnonzero(passages).astype(np.int32)
        words = {term: occurrences(view.lexicon, term) for term in question_terms(query.text)}
        word_scores = scores_of_occurrences(view.lexicon, words.values())
        holding = np.flatnonzero(word_scores).astype(np.int32)
        found = [
            ranking_among(reached, passages[reached], _BY_PAGERANK).rows,
            nearest.rows[:_BY_SIMILARITY],
            ranking_among(holding, word_scores[holding], _BY_WORDS).rows,
        ]
        rows = distinct(np.concatenate(found))
        rows = rows[np.argsort(-passages[rows], kind="stable")]
        ordered = np.sort(-passages[reached])
        places = np.searchsorted(ordered, -passages[rows]).astype(np.int32)
        names = np.fromiter(named, dtype=np.int32, count=len(named))
        candidates = Candidates.of(view, graph, rows, passages[rows], places, names, words)
        return cls(nearest, seeds, graph, scaled_to_best(of_entities), candidates)


def _near_entities(query: Query, view: View, nearest: Ranking) -> tuple[IntArray, FloatArray]:
    """Return the entities near the question, best first, and their similarities.

    They are those of the nearest passages; a bare graph has none, and all entities are searched.
    """
    vectors = view.vectors["entity"]
    if not view.has_passages:
        ids, scores = vectors.search(query.unit, _NEAREST_ENTITIES)
        return view.index.entity_rows(ids), scores
    _, mentioned = view.index.chunk_entities.gather(nearest.rows[:_PASSAGES_WITH_ENTITIES])
    rows = distinct(mentioned)
    scores = vectors.similarities_at(query.unit, rows)
    best = ranking_among(rows, scores, _NEAREST_ENTITIES)
    return best.rows, best.scores
