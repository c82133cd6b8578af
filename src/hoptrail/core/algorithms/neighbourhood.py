"""The part of a graph around some nodes, best edges first, within caps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hoptrail.core.algorithms.incidence import Incidence
from hoptrail.core.embedding import FloatArray, IntArray

ScoreEdges = Callable[[IntArray], FloatArray]

_EDGES_AT_ONCE = 50_000
_DECIMALS = 5


@dataclass(frozen=True, slots=True)
class Caps:
    """What bounds an expansion.

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
        is_complete: Whether no cap and no clock cut anything off.
    """

    nodes: IntArray
    hops: IntArray
    edges: IntArray
    is_complete: bool


def expand(graph: Incidence, starts: IntArray, score: ScoreEdges, caps: Caps) -> Neighbourhood:
    """Expand from the starts hop by hop along the best edges.

    From each node at most `caps.degree` edges are followed; where more nodes are reached in a hop
    than still fit, those behind the best edges stay. So a hub of any degree costs one look at its
    edges, and a graph of any size no more than the caps allow.

    Args:
        graph: The whole graph.
        starts: Distinct nodes.
        score: Gives the score of edges, shape (m,) for m edge numbers.
        caps: The bounds.
    """
    deadline = time.monotonic() + caps.seconds
    hop_of = dict.fromkeys(starts.tolist(), 0)
    followed: list[IntArray] = [np.zeros(0, dtype=np.int32)]
    frontier, is_complete = starts, True
    for hop in range(1, caps.hops + 1):
        best: dict[int, float] = {}
        for block in _blocks(graph, frontier):
            if time.monotonic() > deadline:
                is_complete = False
                break
            nodes, edges, scores, all_kept = _best_edges(graph, block, score, caps.degree)
            is_complete &= all_kept
            followed.append(edges)
            for node, value in zip(
                graph.other_ends(nodes, edges).tolist(), scores.tolist(), strict=True
            ):
                if node not in hop_of:
                    best[node] = max(value, best.get(node, value))
        reached = sorted(best, key=lambda node: (-best[node], node))
        room = max(caps.nodes - len(hop_of), 0)
        is_complete &= len(reached) <= room
        hop_of.update(dict.fromkeys(reached[:room], hop))
        frontier = np.array(reached[:room], dtype=np.int32)
        if len(frontier) == 0:
            break
    return _within(graph, hop_of, np.unique(np.concatenate(followed)), is_complete)


def _blocks(graph: Incidence, frontier: IntArray) -> Iterator[IntArray]:
    """Cut the frontier so that each block has a bounded number of edges (or is one hub)."""
    degrees = graph.indptr[frontier + 1].astype(np.int64) - graph.indptr[frontier]
    number = np.cumsum(degrees) // _EDGES_AT_ONCE
    for block in np.split(frontier, np.flatnonzero(np.diff(number)) + 1):
        if len(block):
            yield block


def _best_edges(
    graph: Incidence, nodes: IntArray, score: ScoreEdges, degree: int
) -> tuple[IntArray, IntArray, FloatArray, bool]:
    """Return `(node, edge, score)` of the best edges of each node, and whether these are all."""
    positions, edges = graph.at_each(nodes)
    distinct, places = np.unique(edges, return_inverse=True)
    scores = np.round(score(distinct.astype(np.int32)), _DECIMALS)[places]
    order = np.lexsort((edges, -scores, positions))
    positions, edges, scores = positions[order], edges[order], scores[order]
    rank = np.arange(len(positions)) - np.searchsorted(positions, positions, side="left")
    kept = rank < degree
    return nodes[positions[kept]], edges[kept], scores[kept], bool(kept.all())


def _within(
    graph: Incidence, hop_of: dict[int, int], edges: IntArray, is_complete: bool
) -> Neighbourhood:
    nodes = np.fromiter(hop_of, dtype=np.int32, count=len(hop_of))
    hops = np.fromiter(hop_of.values(), dtype=np.int32, count=len(hop_of))
    inside = np.isin(graph.source[edges], nodes) & np.isin(graph.target[edges], nodes)
    return Neighbourhood(nodes, hops, edges[inside].astype(np.int32), is_complete)
