"""PageRank of entities and passages from what a question names and resembles.

All arrays are by row of `GraphIndex`: similarities of passages and relations, shape (rows,), and
the start weights of entities with those of passages behind them, shape (entities + passages,).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.retrievers.base.per_generation import PerGeneration
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ppr.entity_passage_graph import (
    EntityPassageGraph,
    start_weights,
    total_weight,
)
from hoptrail.retrievers.ranking.graph_ranking import Ranking, ranking_of
from hoptrail.retrievers.ranking.similarity import Similarities
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.stores.snapshot.graph_index import GraphIndex

_TOLERANCE = 1e-4
_LEAST_TOTAL = 1e-9
_RANKED = 500  # entities and relations; no budget holds more


@dataclass(frozen=True, slots=True)
class Surfer:
    """A random surfer: how it moves and where it starts again.

    Attributes:
        damping: Probability of following an edge instead of starting again.
        text_share: Start weight of all passages together, per weight of the seeds.
        relations: Nearest relations to start from.
        relation_share: Start weight of these together, per weight of the seeds.
    """

    damping: float = 0.7
    text_share: float = 0.5
    relations: int = 5
    relation_share: float = 0.1

    def rank(
        self, kb: KnowledgeSource, view: View, seeds: Mapping[int, float], similar: Similarities
    ) -> Ranks:
        """Return how often the surfer visits each entity and passage, the best of each 1.

        Args:
            kb: The knowledge base, of which the graph is remembered.
            view: Its generation.
            seeds: Entity rows to start from, with weights.
            similar: Similarity of passages and relations to the question.
        """
        graph = _graphs.of(kb, view)
        ranks = graph.ranks(
            self._start(view.index, seeds, similar),
            similar.chunks,
            similar.relations,
            damping=self.damping,
            tolerance=_TOLERANCE,
        )
        return Ranks(*ranks)

    def _start(
        self, index: GraphIndex, seeds: Mapping[int, float], similar: Similarities
    ) -> FloatArray:
        """Return the start weight of every node, shape (entities + passages,)."""
        start = start_weights(seeds, len(index.entity_ids), similar.chunks, self.text_share)
        nearest = ranking_of(similar.relations, most=self.relations).rows
        shares = _shares(similar.relations[nearest])
        of_each_end = self.relation_share * total_weight(seeds) * shares / 2
        np.add.at(start, index.relation_source[nearest], of_each_end)
        np.add.at(start, index.relation_target[nearest], of_each_end)
        return start


@dataclass(frozen=True, slots=True)
class Ranks:
    """PageRank of entities and of passages by row, the best of each 1."""

    entities: FloatArray
    chunks: FloatArray

    def entity_ranking(self, seeds: Mapping[int, float]) -> Ranking:
        """Return the entities best first; the seeds are at hop 0."""
        return ranking_of(self.entities, most=_RANKED, hops=dict.fromkeys(seeds, 0))

    def relation_ranking(self, index: GraphIndex, relevance: FloatArray) -> Ranking:
        """Order relations by their similarity to the question times the ranks of their ends."""
        ends = self.entities[index.relation_source] + self.entities[index.relation_target]
        scores: FloatArray = np.maximum(relevance, 0) * ends
        return ranking_of(scores, most=_RANKED)


def _shares(similarities: FloatArray) -> FloatArray:
    positive = np.maximum(similarities, 0)
    total = float(positive.sum())
    return (positive / max(total, _LEAST_TOTAL)).astype(np.float32)


def _lay_out(kb: KnowledgeSource, view: View) -> EntityPassageGraph:
    return EntityPassageGraph.of(view)


_graphs = PerGeneration(_lay_out)
