"""Personalised PageRank by local push: its cost is that of what is near, not of the graph.

Mass waits at nodes. Where enough of it waits, a share of one less the damping stays as the node's
rank, and the rest is handed on along its edges, until nowhere enough is left. All nodes of a round
are pushed at once, so that a round is a few array operations.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray

_MOST_ROUNDS = 100


class Neighbourhood(Protocol):
    """The edges of nodes, looked up as they are needed."""

    def degrees(self, nodes: IntArray) -> IntArray:
        """Return the number of edges of each node, shape (n,) for n nodes."""
        ...

    def edges(self, nodes: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        """Return `(positions, targets, weights)` of the edges of n nodes, each of shape (m,).

        `positions` are places among the nodes asked for; every weight is above 0.
        """
        ...


def push(
    start: NDArray[np.float64], graph: Neighbourhood, *, damping: float, tolerance: float
) -> NDArray[np.float64]:
    """Return the approximate PageRank of every node, shape (n,), up to a common factor.

    A node with k edges is pushed while more than `k * tolerance` waits at it: a hub takes part only
    where what it has for each neighbour matters. Mass at a node without edges stays there; it
    would start again, which changes all ranks alike.

    Source: Andersen, Chung and Lang, "Local graph partitioning using PageRank vectors", FOCS 2006,
    section 3; here all nodes of a round are pushed together.

    Args:
        start: Weight of each node as a start, shape (n,), none negative.
        graph: The edges.
        damping: Probability of following an edge instead of starting again.
        tolerance: Mass for each edge of a node that may be left waiting there, of a total of 1.
    """
    ranks = np.zeros(len(start))
    total = float(start.sum())
    if total <= 0:
        return ranks
    waiting = start / total
    touched = np.flatnonzero(waiting).astype(np.int32)
    for _ in range(_MOST_ROUNDS):
        degrees = graph.degrees(touched)
        active = touched[(waiting[touched] > tolerance * degrees) & (degrees > 0)]
        if len(active) == 0:
            break
        mass = waiting[active]
        waiting[active] = 0.0
        ranks[active] += (1.0 - damping) * mass
        positions, targets, weights = graph.edges(active)
        totals = np.bincount(positions, weights=weights, minlength=len(active))
        np.add.at(waiting, targets, (damping * mass / totals)[positions] * weights)
        # A node that nothing was handed to has no more than when it was last looked at.
        touched = np.unique(targets)
        touched = touched[waiting[touched] > tolerance]
    return ranks + (1.0 - damping) * waiting
