"""The part of a graph around some nodes, best edges first, within caps.

Many expansions run side by side, and a Python set for each would cost more than the search. A node
that an expansion reached is therefore one int64 key, `expansion * nodes + node`, and an edge that
it followed `expansion * edges + edge`. All reached nodes of all expansions are one sorted array of
keys: membership is a binary search, distinct ones are the first of each run of equals, and the
nodes of one expansion are a slice. The keys of each hop stand in an array of their own, best first
in each expansion, which is the order in which nodes were reached.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.best_edges import BestEdges
from hoptrail.core.algorithms.incidence import Hubs, Incidence, ScoreEdges
from hoptrail.core.algorithms.sorted_sets import distinct, is_among, is_first_of_run
from hoptrail.core.embedding import FloatArray, IntArray

Keys = NDArray[np.int64]

_NONE: Keys = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Caps:
    """Bounds of an expansion.

    Attributes:
        hops: How far to go.
        nodes: Most nodes to reach; the starts count and are always kept.
        degree: Most edges to follow from one node, the best scored ones.
        seconds: When to stop with what was reached.
    """

    hops: int = 3
    nodes: int = 2_000
    degree: int = 50
    seconds: float = 2.0


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Nodes in the order in which they were reached, and the edges that were followed to find them.

    Attributes:
        nodes: Shape (n,), the starts first.
        hops: Distance of each from the nearest start, shape (n,).
        edges: Distinct edges with both ends among the nodes, ascending, shape (m,).
    """

    nodes: IntArray
    hops: IntArray
    edges: IntArray


def expand_each(
    graph: Incidence,
    starts: Sequence[IntArray],
    score: ScoreEdges,
    caps: Caps,
    hubs: Hubs | None = None,
) -> list[Neighbourhood]:
    """Expand from each of several starts hop by hop along the best edges, all of them in one run.

    From each node at most `caps.degree` edges are followed; where more nodes are reached in a hop
    than still fit, those behind the best edges stay. So a hub of any degree costs one look at its
    edges, and a graph of any size no more than the caps allow. The expansions advance together,
    and a node that several of them reach is looked at once. They share the seconds.

    Args:
        graph: The whole graph.
        starts: For each expansion its starts, distinct nodes.
        score: Gives the score of edges, shape (m,) for m edge numbers.
        caps: The bounds of each expansion.
        hubs: Of the same graph, where edges of one kind score the same; then a hub costs less.
    """
    if not starts:
        return []
    best = BestEdges(graph, score, caps.degree, time.monotonic() + caps.seconds, hubs)
    expansions = _Expansions(graph, starts, caps.nodes)
    for _ in range(caps.hops):
        if not expansions.advance(best):
            break
    return expansions.neighbourhoods()


class _Expansions:
    """Several expansions side by side, as arrays of keys (see the module).

    `_room` has the shape (expansions,): how many nodes each may still reach.
    """

    def __init__(self, graph: Incidence, starts: Sequence[IntArray], most: int) -> None:
        self._graph = graph
        self._nodes = max(graph.nodes, 1)
        self._edges = max(len(graph.source), 1)
        counts = np.array([len(nodes) for nodes in starts], dtype=np.int64)
        owners = np.repeat(np.arange(len(starts), dtype=np.int64), counts)
        self._reached: list[Keys] = [owners * self._nodes + np.concatenate([*starts, _NONE])]
        self._followed: list[Keys] = []
        self._led_to: list[Keys] = []  # the node that each edge was followed to
        self._room = np.maximum(most - counts, 0)

    def advance(self, best: BestEdges) -> bool:
        """Make the next hop, and return whether it reached any node."""
        owners, nodes = _parted(self._reached[-1], self._nodes)
        found = best.at_each(nodes)
        ends = self._graph.other_ends(nodes[found.positions], found.edges)
        owners = owners[found.positions]
        self._followed.append(owners * self._edges + found.edges)
        self._led_to.append(owners * self._nodes + ends)
        keys, scores = _best_of_each(self._led_to[-1], found.scores)
        is_new = ~is_among(np.sort(np.concatenate(self._reached)), keys)
        reached = self._that_fit(keys[is_new], scores[is_new])
        self._reached.append(reached)
        return len(reached) > 0

    def _that_fit(self, keys: Keys, scores: FloatArray) -> Keys:
        """Return the nodes that their expansions have room for, best first in each."""
        owners = keys // self._nodes
        order = np.lexsort((keys, -scores, owners))
        keys, owners = keys[order], owners[order]
        rank = np.arange(len(keys)) - np.searchsorted(owners, owners)
        fits = rank < self._room[owners]
        self._room -= np.bincount(owners[fits], minlength=len(self._room))
        return keys[fits]

    def neighbourhoods(self) -> list[Neighbourhood]:
        """Return what each expansion reached."""
        keys = np.concatenate(self._reached)
        counts = [len(hop) for hop in self._reached]
        hops = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        owners, nodes = _parted(keys, self._nodes)
        order = np.argsort(owners, kind="stable")
        owners, nodes, hops = owners[order], nodes[order], hops[order]
        edge_owners, edges = self._edges_between(np.sort(keys))
        limits = np.arange(1, len(self._room))
        ends, edge_ends = np.searchsorted(owners, limits), np.searchsorted(edge_owners, limits)
        columns = np.split(nodes, ends), np.split(hops, ends), np.split(edges, edge_ends)
        return [Neighbourhood(*column) for column in zip(*columns, strict=True)]

    def _edges_between(self, reached: Keys) -> tuple[Keys, IntArray]:
        """Return expansion and number of the followed edges whose ends were both reached.

        An edge was followed from a node that was reached.
        """
        inside = is_among(reached, np.concatenate([*self._led_to, _NONE]))
        followed = np.concatenate([*self._followed, _NONE])[inside]
        return _parted(distinct(followed), self._edges)


def _parted(keys: Keys, base: int) -> tuple[Keys, IntArray]:
    """Return the expansions and the numbers that were put together to the keys."""
    owners: Keys = keys // base
    return owners, (keys - owners * base).astype(np.int32)


def _best_of_each(keys: Keys, scores: FloatArray) -> tuple[Keys, FloatArray]:
    """Return each key once, ascending, with the best of its scores."""
    if len(keys) == 0:
        return keys, scores
    order = np.argsort(keys, kind="stable")
    keys, scores = keys[order], scores[order]
    first = np.flatnonzero(is_first_of_run(keys))
    return keys[first], np.maximum.reduceat(scores, first)
