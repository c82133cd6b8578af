"""The edges of a graph by node, and those of hubs in groups that score the same.

A hub's edges are one int32 array sorted by kind and, within a kind, by number; `starts` and
`counts` delimit the kinds. One edge per kind is scored, and the best edges are then read off as
slices: a question pays for the kinds at a hub, not for its edges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hoptrail.core.algorithms.sorted_sets import is_first_of_run
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


@dataclass(frozen=True, slots=True)
class _Hub:
    """The edges at one node, kind after kind and ascending in each; where each kind begins."""

    edges: IntArray
    starts: IntArray
    counts: IntArray


class Hubs:
    """Finds the best edges of hubs; each hub is grouped when it is first met, for all questions.

    Edges of one kind must score the same for any question, as the relations of a predicate do in a
    bare graph: a place with 67,000 edges then costs a look at some hundred kinds. Usable from any
    thread; two that meet a hub at the same time may both group it.

    Args:
        graph: The whole graph.
        kinds: Kind of each edge, shape (m,).
    """

    def __init__(self, graph: Incidence, kinds: IntArray) -> None:
        self._graph = graph
        self._kinds = kinds
        self._known: dict[int, _Hub] = {}

    def best_at(self, node: int, score: ScoreEdges, most: int) -> tuple[IntArray, FloatArray]:
        """Return the best edges at a node, ascending, and their scores rounded to 1e-5.

        Args:
            node: Any node.
            score: Gives the score of edges, shape (m,) for m edge numbers.
            most: How many; of equal scores, the first edges are taken.
        """
        hub = self._hub(node)
        scores = np.round(score(hub.edges[hub.starts]), SCORE_DECIMALS)
        order = np.argsort(-scores, kind="stable")
        enough = int(np.searchsorted(np.cumsum(hub.counts[order]), most))
        least = scores[order[min(enough, len(order) - 1)]]
        chosen = np.flatnonzero(scores >= least)
        counts = np.minimum(hub.counts[chosen], most)
        first = np.repeat(hub.starts[chosen] - (np.cumsum(counts) - counts), counts)
        edges = hub.edges[first + np.arange(len(first))]
        values = np.repeat(scores[chosen], counts)
        best = np.lexsort((edges, -values))[:most]
        best = best[np.argsort(edges[best])]
        return edges[best], values[best]

    def _hub(self, node: int) -> _Hub:
        known = self._known.get(node)
        if known is None:
            edges = self._graph.at(node)
            kinds = self._kinds[edges]
            order = np.argsort(kinds, kind="stable")
            starts = np.flatnonzero(is_first_of_run(kinds[order])).astype(np.int32)
            counts = np.diff(np.append(starts, len(edges))).astype(np.int32)
            known = self._known[node] = _Hub(edges[order], starts, counts)
        return known
