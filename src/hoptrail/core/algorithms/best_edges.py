"""The best edges at each of some nodes, hubs included; each node is looked at once.

Nodes have any number of edges, so there is no matrix with a row per node: the edges of all nodes
stand one after another in flat arrays (int32, scores float32), run after run, with a parallel array
`positions` or the lengths of the runs to tell them apart. One scoring call and one vectorised
selection then serve thousands of nodes. Scores are rounded before they are compared, and a run
keeps its ascending edge numbers, so that equal scores are broken by edge and results do not hang on
the order of additions.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.incidence import SCORE_DECIMALS, Hubs, Incidence, ScoreEdges
from hoptrail.core.algorithms.sorted_sets import is_among
from hoptrail.core.embedding import FloatArray, IntArray

_EDGES_AT_ONCE = 50_000
_HUB_DEGREE = 500  # from which on grouping a node's edges pays


@dataclass(frozen=True, slots=True)
class EdgesAtNodes:
    """Edges at nodes: `edges[j]` is at the node at place `positions[j]`, ascending.

    Attributes:
        positions: Places in a list of nodes, ascending, shape (m,).
        edges: Shape (m,).
        scores: Their scores, rounded to 1e-5, shape (m,).
        nodes: How many nodes the list has.
    """

    positions: IntArray
    edges: IntArray
    scores: FloatArray
    nodes: int

    @classmethod
    def none(cls, nodes: int) -> Self:
        """Return no edges at so many nodes."""
        empty = np.zeros(0, dtype=np.int32)
        return cls(empty, empty, np.zeros(0, dtype=np.float32), nodes)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the edges at the nodes of all parts, one part's places behind the other's."""
        before = np.cumsum([0, *(part.nodes for part in parts)])
        places = zip(parts, before.tolist(), strict=False)
        return cls(
            np.concatenate([part.positions + first for part, first in places]).astype(np.int32),
            np.concatenate([part.edges for part in parts]),
            np.concatenate([part.scores for part in parts]),
            int(before[-1]),
        )

    def at_places(self, places: IntArray) -> Self:
        """Return the edges at the nodes of these places, which may be repeated."""
        starts = np.searchsorted(self.positions, places)
        counts = np.searchsorted(self.positions, places, side="right") - starts
        positions = np.repeat(np.arange(len(places), dtype=np.int32), counts)
        chosen = np.repeat(starts - (np.cumsum(counts) - counts), counts)
        chosen += np.arange(len(chosen))
        return type(self)(positions, self.edges[chosen], self.scores[chosen], len(places))


class BestEdges:
    """Finds the best edges at nodes and remembers them: expansions meet the same hubs again.

    Args:
        graph: The whole graph.
        score: Gives the score of edges, shape (m,) for m edge numbers.
        degree: Most edges at one node; of equal scores, the first edges are taken.
        deadline: By the clock `time.monotonic`; a node that is new after it has no edges.
        hubs: Of the same graph, where edges of one kind score the same.
    """

    def __init__(
        self,
        graph: Incidence,
        score: ScoreEdges,
        degree: int,
        deadline: float,
        hubs: Hubs | None = None,
    ) -> None:
        self._graph = graph
        self._score = score
        self._degree = degree
        self._deadline = deadline
        self._hubs = hubs
        self._nodes: IntArray = np.zeros(0, dtype=np.int32)
        self._found = EdgesAtNodes.none(0)

    def at_each(self, nodes: IntArray) -> EdgesAtNodes:
        """Return the best edges at nodes, which may be repeated."""
        distinct, first = np.unique(nodes, return_index=True)
        is_new = ~is_among(np.sort(self._nodes), distinct)
        self._learn(nodes[np.sort(first[is_new])])
        order = np.argsort(self._nodes)
        places = order[np.searchsorted(self._nodes, nodes, sorter=order)]
        return self._found.at_places(places.astype(np.int32))

    def _learn(self, nodes: IntArray) -> None:
        """Find and remember the best edges at distinct nodes that are new."""
        degrees = self._graph.indptr[nodes + 1].astype(np.int64) - self._graph.indptr[nodes]
        is_hub = degrees >= (_HUB_DEGREE if self._hubs else np.inf)
        number = np.cumsum(degrees[~is_hub]) // _EDGES_AT_ONCE
        blocks = np.split(nodes[~is_hub], np.flatnonzero(np.diff(number)) + 1)
        found = [self._look(block) for block in blocks]
        found += [
            self._look_at_hub(self._hubs, hub) for hub in nodes[is_hub].tolist() if self._hubs
        ]
        self._nodes = np.concatenate([self._nodes, *blocks, nodes[is_hub]])
        self._found = EdgesAtNodes.joined([self._found, *found])

    def _look(self, nodes: IntArray) -> EdgesAtNodes:
        """Return the best edges at distinct nodes; none after the deadline."""
        if time.monotonic() > self._deadline:
            return EdgesAtNodes.none(len(nodes))
        positions, edges = self._graph.at_each(nodes)
        scores = np.round(self._score(edges), SCORE_DECIMALS)
        counts = np.bincount(positions, minlength=len(nodes)).astype(np.int32)
        if (counts > self._degree).any():
            kept = best_of_runs(scores, counts, self._degree)
            positions, edges, scores = positions[kept], edges[kept], scores[kept]
        return EdgesAtNodes(positions, edges, scores, len(nodes))

    def _look_at_hub(self, hubs: Hubs, node: int) -> EdgesAtNodes:
        if time.monotonic() > self._deadline:
            return EdgesAtNodes.none(1)
        edges, scores = hubs.best_at(node, self._score, self._degree)
        return EdgesAtNodes(np.zeros(len(edges), dtype=np.int32), edges, scores, 1)


def best_of_runs(scores: FloatArray, counts: IntArray, most: int) -> NDArray[np.bool_]:
    """Return which scores are among the `most` highest of their run, the first ones of equals.

    Args:
        scores: Run after run, shape (m,).
        counts: The length of each run, shape (runs,).
        most: How many to keep of each run.
    """
    starts = np.cumsum(counts) - counts
    least = np.repeat(_least_kept(scores, counts, most), counts)
    is_above, is_equal = scores > least, scores == least
    above = np.concatenate([[0], np.cumsum(is_above)])
    equal = np.concatenate([[0], np.cumsum(is_equal)])
    room = most - (above[starts + counts] - above[starts])
    place = equal[:-1] - np.repeat(equal[starts], counts)
    kept: NDArray[np.bool_] = is_above | (is_equal & (place < np.repeat(room, counts)))
    return kept


def _least_kept(scores: FloatArray, counts: IntArray, most: int) -> FloatArray:
    """Return the score of the last that is kept of each run, -inf where all are.

    A partition needs a matrix, and padding all runs to the longest would cost a hub's width for
    every node. So runs whose lengths have the same binary exponent are laid out as the rows of one
    matrix, padded with -inf to less than twice their length.
    """
    least = np.full(len(counts), -np.inf, dtype=scores.dtype)
    starts = np.cumsum(counts) - counts
    exponents = np.frexp(counts.astype(np.float64))[1]
    exponents[counts <= most] = 0
    for exponent in np.unique(exponents[exponents > 0]).tolist():
        runs = np.flatnonzero(exponents == exponent)
        width = int(counts[runs].max())
        column = np.arange(width)
        is_inside = column < counts[runs, None]
        places = np.where(is_inside, starts[runs, None] + column, 0)
        rows = np.where(is_inside, scores[places], -np.inf)
        least[runs] = np.partition(rows, width - most, axis=1)[:, width - most]
    return least
