"""Entities and passages as the nodes of one graph: what PageRank runs on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.retrievers.base.snapshot_view import View

_LEAST_SIMILARITY = 0.01
_MENTION_WEIGHT = 2.0
_RELATION_POWER = 2.0


@dataclass(frozen=True, slots=True)
class MixedGraph:
    """A symmetric CSR pattern; node i is entity i, then come the passages.

    Its edges are the mentions of entities in passages, then the relations. Entry j of the matrix
    is edge `edges[j]`.

    Attributes:
        indptr: Row starts, shape (entities + passages + 1,).
        indices: Neighbouring nodes, shape (2 * edges,).
        edges: Number of the edge behind each entry, shape (2 * edges,).
        mention_chunk: Passage row of each mention, shape (mentions,).
    """

    indptr: IntArray
    indices: IntArray
    edges: IntArray
    mention_chunk: IntArray

    @classmethod
    def of(cls, view: View) -> MixedGraph:
        """Lay out the whole knowledge graph with its passages."""
        index = view.index
        entities = np.arange(len(index.entity_ids), dtype=np.int32)
        mentioned, chunks = index.entity_chunks.gather(entities)
        left = np.concatenate([mentioned, index.relation_source])
        right = np.concatenate([chunks + len(entities), index.relation_target])
        rows = np.concatenate([left, right])
        order = np.argsort(rows, kind="stable")
        size = len(entities) + len(index.chunk_ids)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=size))])
        return cls(
            indptr.astype(np.int32),
            np.concatenate([right, left])[order].astype(np.int32),
            (order % max(len(left), 1)).astype(np.int32),
            chunks,
        )

    def weights(self, passages: FloatArray, relations: FloatArray) -> FloatArray:
        """Return the weight of each entry for one question, shape (2 * edges,).

        A relation weighs the square of its similarity to the question, a mention twice the square
        root of its passage's.

        Args:
            passages: Similarity of every passage to the question, shape (passages,).
            relations: Similarity of every relation, shape (relations,).
        """
        near = np.sqrt(np.maximum(passages, _LEAST_SIMILARITY))
        of_mentions = _MENTION_WEIGHT * near[self.mention_chunk]
        of_relations = np.maximum(relations, _LEAST_SIMILARITY) ** _RELATION_POWER
        weights = np.concatenate([of_mentions, of_relations])[self.edges]
        return weights.astype(np.float32, copy=False)
