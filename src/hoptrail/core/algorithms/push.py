"""Personalised PageRank by local push: the cost is that of what is near, not of the graph.

Mass waits at nodes. Where enough of it waits, a share of one less the damping stays as the node's
rank and the rest is handed on along its edges, until nowhere enough is left. All nodes of a round
are pushed at once, so that a round is a few array operations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray

Edges = Callable[[IntArray], tuple[IntArray, IntArray, FloatArray]]
"""Gives the edges of n nodes as `(positions, targets, weights)`, each of shape (m,).

`positions` are places among the nodes asked for, each of which has an edge; every edge weighs more
than 0.
"""
_MOST_ROUNDS = 100


def push(
    start: NDArray[np.float64],
    degrees: IntArray,
    edges: Edges,
    *,
    damping: float,
    tolerance: float,
) -> NDArray[np.float64]:
    """Return the approximate PageRank of every node, shape (n,), up to one common factor.

    A node with k edges is pushed while more than `k * tolerance` waits at it, so a hub takes part
    only where its share for each neighbour matters. Mass that comes to a node without edges stays
    there: it would start again, which changes all ranks alike.

    Source: Andersen, Chung and Lang, "Local graph partitioning using PageRank vectors", FOCS 2006,
    section 3, with all active nodes of a round pushed together.

    Args:
        start: Weight of each node as a start, shape (n,), with any positive sum.
        degrees: Number of edges of each node, shape (n,).
        edges: The edges of nodes.
        damping: Probability of following an edge instead of starting again.
        tolerance: Mass per edge that may be left waiting, of a total of 1.
    """
    ranks = np.zeros(len(start))
    total = float(start.sum())
    if total <= 0:
        return ranks
    waiting = start / total
    touched = np.flatnonzero(waiting)
    for _ in range(_MOST_ROUNDS):
        is_active = waiting[touched] > tolerance * np.maximum(degrees[touched], 1)
        active = touched[is_active & (degrees[touched] > 0)]
        if len(active) == 0:
            break
        mass = waiting[active]
        waiting[active] = 0.0
        ranks[active] += (1.0 - damping) * mass
        positions, targets, weights = edges(active.astype(np.int32))
        totals = np.bincount(positions, weights=weights, minlength=len(active))
        np.add.at(waiting, targets, (damping * mass / totals)[positions] * weights)
        touched = np.flatnonzero(waiting > tolerance)
    return ranks + (1.0 - damping) * waiting
