"""The edges of hubs in groups that score the same, so that the best are found among few.

A hub's edges are one int32 array sorted by kind and, within a kind, by number; `starts` and
`counts` delimit the kinds. One edge per kind is scored, and the best edges are then read off as
slices: a question pays for the kinds at a hub, not for its edges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hoptrail.core.algorithms.incidence import SCORE_DECIMALS, Incidence, ScoreEdges
from hoptrail.core.algorithms.sorted_sets import is_first_of_run
from hoptrail.core.embedding import FloatArray, IntArray


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
