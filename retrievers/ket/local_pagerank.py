"""The part of the graph that a walk reached, with the passages behind it, and PageRank on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hoptrail.core.algorithms.pagerank import pagerank
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.retrievers.ket.question_walk import Walk
from hoptrail.retrievers.ranking.passage_ranking import ranked_rows
from hoptrail.retrievers.ranking.scaling import scaled_to_best, softmax
from hoptrail.stores.graph_index import GraphIndex

_PASSAGES_BY_SIMILARITY = 100
_DAMPING = 0.5
_TEXT_SHARE = 0.5
_TEXT_TEMPERATURE = 0.03
_MENTION_WEIGHT = 2.0
_LEAST_SIMILARITY = 0.01
_LEAST_SEED_WEIGHT = 0.5
_TOLERANCE = 1e-5


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Entities and passages as nodes, relations and mentions as edges.

    Rows are those of `GraphIndex`, ascending; node i is entity i, then come the passages.
    """

    index: GraphIndex
    walk: Walk
    entities: IntArray
    chunks: IntArray

    @classmethod
    def around(
        cls, index: GraphIndex, walk: Walk, read: IntArray, similarities: FloatArray
    ) -> Subgraph:
        """Take in what the walk reached, the entities of passages, and what mentions all these.

        Args:
            index: The whole graph.
            walk: What was reached so far.
            read: Passages whose entities belong to it.
            similarities: Similarity of every chunk to the question, shape (chunks,).
        """
        similar = ranked_rows(similarities)[:_PASSAGES_BY_SIMILARITY]
        _, mentioned = index.chunk_entities.gather(read)
        reached = np.fromiter(walk.entities, dtype=np.int32, count=len(walk.entities))
        entities = np.unique(np.concatenate([reached, mentioned])).astype(np.int32)
        _, mentioning = index.entity_chunks.gather(entities)
        chunks = np.unique(np.concatenate([similar, mentioning])).astype(np.int32)
        return cls(index, walk, entities, chunks)

    def spread(
        self, seeds: Mapping[int, float], similarities: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the ranks of `entities` and of `chunks`, the best of each list 1.

        Personalised PageRank (damping 0.5, as HippoRAG's) from the seeds, and for half their weight
        from the passages by similarity. Relations weigh the square of their similarity to the
        question, mentions twice the square root of their passage's.
        """
        jump = np.zeros(len(self.entities) + len(self.chunks), dtype=np.float32)
        rows = np.fromiter(seeds, dtype=np.int32, count=len(seeds))
        jump[np.searchsorted(self.entities, rows)] = list(seeds.values())
        share = _TEXT_SHARE * max(float(jump.sum()), _LEAST_SEED_WEIGHT)
        jump[len(self.entities) :] = share * softmax(similarities[self.chunks], _TEXT_TEMPERATURE)
        indptr, indices, weights = self._links(similarities)
        ranks = pagerank(
            indptr, indices, weights, seeds=jump, damping=_DAMPING, tolerance=_TOLERANCE
        )
        entity_ranks, chunk_ranks = np.split(ranks, [len(self.entities)])
        return scaled_to_best(entity_ranks), scaled_to_best(chunk_ranks)

    def _links(self, similarities: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the symmetric adjacency matrix in CSR form."""
        walked = np.fromiter(self.walk.relations, dtype=np.int32, count=len(self.walk.relations))
        relevance = np.array([self.walk.relevance[row] for row in walked.tolist()])
        source = np.searchsorted(self.entities, self.index.relation_source[walked])
        target = np.searchsorted(self.entities, self.index.relation_target[walked])
        mentioned, chunks = self.index.entity_chunks.gather(self.entities)
        place = len(self.entities) + np.searchsorted(self.chunks, chunks)
        weights = np.concatenate(
            [
                np.maximum(relevance, _LEAST_SIMILARITY) ** 2,
                _MENTION_WEIGHT * np.sqrt(np.maximum(similarities[chunks], _LEAST_SIMILARITY)),
            ]
        )
        left = np.concatenate([source, mentioned]).astype(np.int32)
        right = np.concatenate([target, place]).astype(np.int32)
        size = len(self.entities) + len(self.chunks)
        return _symmetric_csr(left, right, weights.astype(np.float32), size)


def _symmetric_csr(
    left: IntArray, right: IntArray, weights: FloatArray, size: int
) -> tuple[IntArray, IntArray, FloatArray]:
    rows = np.concatenate([left, right])
    order = np.argsort(rows, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=size))])
    columns = np.concatenate([right, left])[order]
    doubled = np.concatenate([weights, weights])[order]
    return indptr.astype(np.int32), columns.astype(np.int32), doubled.astype(np.float32)
