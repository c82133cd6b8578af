"""Passages by personalised PageRank from what a question names and resembles.

All arrays are by row of `GraphIndex`: similarities of passages and relations, shape (rows,), and
the start weights of entities with those of passages behind them, shape (entities + passages,).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from hoptrail.core.algorithms.pagerank import pagerank
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.types import Evidence
from hoptrail.retrievers.anchors import anchor_entities
from hoptrail.retrievers.base.per_generation import PerGeneration
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.graph_ranking import (
    Ranking,
    assemble,
    ranking_of,
    scaled_to_best,
    softmax,
)
from hoptrail.retrievers.ranking.passage_ranking import Similarities
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.stores.snapshot.graph_index import GraphIndex

_TOLERANCE = 1e-4
_LEAST_TOTAL = 1e-9
_RANKED = 500  # entities and relations; no budget holds more
_LEAST_SIMILARITY = 0.01
_MENTION_WEIGHT = 2.0
_RELATION_POWER = 2.0
_TEMPERATURE = 0.03
_LEAST_SEED_WEIGHT = 0.5


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


class PprRetriever(Retriever):
    """Ranks passages by personalised PageRank from the entities that the question names.

    The surfer starts at named entities (the rarer, the likelier), at the ends of the relations
    nearest to the question, and at all passages by their similarity to it; it follows mentions and
    relations, the ones that resemble the question more often. So a passage is found that resembles
    the question in nothing but is two relations away from what it names.

    Source: Gutierrez et al., "From RAG to memory: non-parametric continual learning for large
    language models" (HippoRAG 2), ICML 2025; seeds of spelled names as in Zhuang et al.,
    "LinearRAG", 2025. Both start at nearest relations or at named entities alone.

    Attributes:
        damping: Probability of following an edge instead of starting again.
        text_share: Start weight of all passages together, per weight of the named entities.
        relations: Nearest relations to start from.
        relation_share: Start weight of these together, per weight of the named entities.
    """

    name_in_registry: ClassVar[str] = "ppr"

    damping: float = Field(0.7, ge=0, lt=1)
    text_share: float = Field(0.5, ge=0)
    relations: int = Field(5, ge=0)
    relation_share: float = Field(0.1, ge=0)

    def _search(self, query: Query, view: View) -> Evidence:
        similar = Similarities.of(view, query.unit)
        seeds = anchor_entities(query, view)
        surfer = Surfer(self.damping, self.text_share, self.relations, self.relation_share)
        ranks = surfer.rank(self.kb, view, seeds, similar)
        return assemble(
            view,
            "pagerank",
            k=self.k,
            budget=self.budget,
            entities=ranks.entity_ranking(seeds),
            relations=ranks.relation_ranking(view.index, similar.relations),
            chunks=ranking_of(ranks.chunks),
        )


@dataclass(frozen=True, slots=True)
class EntityPassageGraph:
    """Mentions of entities in passages, and relations between entities, as undirected edges.

    Node i is entity i, then come the passages. Edges are numbered: the mentions first, then the
    relations. PageRank multiplies a symmetric matrix with a vector again and again, so the edges
    are laid out as that matrix in CSR form, where each of them stands twice. The pattern is the
    same for every question and only the weights differ: `edges` spreads one weight per edge over
    the entries, so that a question costs one gather and no sorting.

    Attributes:
        entities: Number of entities.
        indptr: Row starts, shape (entities + passages + 1,), int32.
        indices: Neighbouring nodes row after row, shape (2 * edges,), int32.
        edges: Number of the edge behind each entry, shape (2 * edges,), int32.
        mention_chunk: Passage of each mention, shape (mentions,), int32: a place in the
            similarities that `ranks` is given.
    """

    entities: int
    indptr: IntArray
    indices: IntArray
    edges: IntArray
    mention_chunk: IntArray

    @classmethod
    def of(cls, view: View) -> EntityPassageGraph:
        """Lay out the whole knowledge graph with its passages."""
        index = view.index
        entities = np.arange(len(index.entity_ids), dtype=np.int32)
        mentioned, chunks = index.entity_chunks.gather(entities)
        left = np.concatenate([mentioned, index.relation_source])
        right = np.concatenate([chunks + len(entities), index.relation_target])
        return cls.joining(left, right, chunks, len(entities), len(index.chunk_ids))

    @classmethod
    def joining(
        cls, left: IntArray, right: IntArray, mention_chunk: IntArray, entities: int, passages: int
    ) -> EntityPassageGraph:
        """Lay out edges between nodes.

        Args:
            left: An entity of each edge, mentions first, shape (edges,).
            right: The node at its other end, shape (edges,).
            mention_chunk: See the class.
            entities: Number of entities.
            passages: Number of passages.
        """
        rows = np.concatenate([left, right])
        order = np.argsort(rows, kind="stable")
        counts = np.bincount(rows, minlength=entities + passages)
        return cls(
            entities,
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            np.concatenate([right, left])[order].astype(np.int32),
            (order % max(len(left), 1)).astype(np.int32),
            mention_chunk,
        )

    def ranks(
        self,
        start: FloatArray,
        passages: FloatArray,
        relations: FloatArray,
        *,
        damping: float,
        tolerance: float,
        arrivals: bool = False,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the PageRank of the entities and of the passages, the best of each 1.

        Args:
            start: Weight of each node as a start, shape (nodes,).
            passages: Similarities of passages to the question, in which `mention_chunk` points.
            relations: Similarity of each relation, shape (relations,).
            damping: Probability of following an edge instead of starting again.
            tolerance: When to stop, as in `pagerank`.
            arrivals: Whether to count only the visits of passages that came over an edge, without
                those that started there.
        """
        weights = self._weights(passages, relations)
        ranks = pagerank(
            self.indptr, self.indices, weights, seeds=start, damping=damping, tolerance=tolerance
        )
        of_passages = ranks[self.entities :]
        if arrivals:
            of_passages = np.maximum(of_passages - self._started(ranks, start, damping), 0.0)
        return scaled_to_best(ranks[: self.entities]), scaled_to_best(of_passages)

    def _started(
        self, ranks: NDArray[np.float64], start: FloatArray, damping: float
    ) -> NDArray[np.float64]:
        """Return how many of each passage's visits started there, shape (passages,)."""
        followed = ranks[np.diff(self.indptr) > 0].sum()  # without an edge there is but a new start
        shares = start[self.entities :] / max(float(start.sum()), _LEAST_TOTAL)
        started: NDArray[np.float64] = (1.0 - damping * followed) * shares
        return started

    def _weights(self, passages: FloatArray, relations: FloatArray) -> FloatArray:
        """Return the weight of each entry, shape (2 * edges,)."""
        of_mentions = mention_weights(passages)[self.mention_chunk]
        weights = np.concatenate([of_mentions, relation_weights(relations)])[self.edges]
        return weights.astype(np.float32, copy=False)


def mention_weights(passages: FloatArray) -> FloatArray:
    """Return the weight of a mention in each passage: twice the square root of its similarity."""
    weights = _MENTION_WEIGHT * np.sqrt(np.maximum(passages, _LEAST_SIMILARITY))
    return weights.astype(np.float32, copy=False)


def relation_weights(relations: FloatArray) -> FloatArray:
    """Return the weight of each relation: the square of its similarity to the question."""
    weights = np.maximum(relations, _LEAST_SIMILARITY) ** _RELATION_POWER
    return weights.astype(np.float32, copy=False)


def start_weights(
    seeds: Mapping[int, float], entities: int, passages: FloatArray, text_share: float
) -> FloatArray:
    """Return the weight of each node as a start, shape (entities + passages,).

    Args:
        seeds: Weights of entities by node.
        entities: Number of entities.
        passages: Similarity of each passage to the question, shape (passages,).
        text_share: Weight of all passages together, per weight of the seeds.
    """
    start = np.zeros(entities + len(passages), dtype=np.float32)
    nodes = np.fromiter(seeds, dtype=np.int32, count=len(seeds))
    start[nodes] = list(seeds.values())
    start[entities:] = text_share * total_weight(seeds) * softmax(passages, _TEMPERATURE)
    return start


def total_weight(seeds: Mapping[int, float]) -> float:
    """Return the weight of all seeds, at least 0.5: a question may name nothing that is known."""
    return max(sum(seeds.values()), _LEAST_SEED_WEIGHT)
