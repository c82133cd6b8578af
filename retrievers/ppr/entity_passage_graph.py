"""Entities and passages as the nodes of one graph: what PageRank runs on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.pagerank import pagerank
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.scaling import scaled_to_best, softmax

_LEAST_SIMILARITY = 0.01
_MENTION_WEIGHT = 2.0
_RELATION_POWER = 2.0
_TEMPERATURE = 0.03
_LEAST_SEED_WEIGHT = 0.5
_LEAST_TOTAL = 1e-9


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
