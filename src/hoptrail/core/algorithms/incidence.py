"""Undirected multigraphs as arrays: which edges touch a node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray

ScoreEdges = Callable[[IntArray], FloatArray]
"""Gives the score of m edges by their numbers, shape (m,)."""
SCORE_DECIMALS = 5
"""Scores that are equal up to these count as equal, so that results do not hang on rounding."""


@dataclass(frozen=True, slots=True)
class Incidence:
    """The edges at each node: node i has `edges[indptr[i]:indptr[i + 1]]`, ascending.

    A self-loop stands once at its node; parallel edges are distinct.

    Attributes:
        source: One end of each edge, shape (m,).
        target: The other end, shape (m,).
        indptr: Row starts, shape (n + 1,).
        edges: Edge numbers, shape (at most 2 m,).
    """

    source: IntArray
    target: IntArray
    indptr: IntArray
    edges: IntArray

    @classmethod
    def of(cls, source: IntArray, target: IntArray, nodes: int) -> Incidence:
        """Sort the edges by their ends.

        Args:
            source: One end of each edge, shape (m,), below `nodes`.
            target: The other end, shape (m,).
            nodes: Number of nodes.
        """
        numbers = np.arange(len(source), dtype=np.int32)
        proper = source != target
        ends = np.concatenate([source, target[proper]])
        edges = np.concatenate([numbers, numbers[proper]])
        order = np.lexsort((edges, ends))
        counts = np.bincount(ends, minlength=nodes)
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        return cls(source, target, indptr, edges[order].astype(np.int32))

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    def at(self, node: int) -> IntArray:
        """Return the edges at a node."""
        return self.edges[self.indptr[node] : self.indptr[node + 1]]

    def at_each(self, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """Return `(positions, edges)`: `edges[j]` touches `nodes[positions[j]]`."""
        starts = self.indptr[nodes].astype(np.int64)
        counts = self.indptr[nodes + 1].astype(np.int64) - starts
        positions = np.repeat(np.arange(len(nodes), dtype=np.int32), counts)
        first = np.repeat(starts - (np.cumsum(counts) - counts), counts)
        return positions, self.edges[first + np.arange(len(positions))]

    def other_ends(self, nodes: IntArray, edges: IntArray) -> IntArray:
        """Return the end of each edge that is not the node beside it (a loop's is the node)."""
        return np.where(self.source[edges] == nodes, self.target[edges], self.source[edges])
