"""Personalised PageRank: of a whole graph by power iteration, of what is near by local push.

By power iteration, the links are one CSR matrix (int32 rows and columns), multiplied with the ranks
once per iteration. It is never normalised: the ranks are divided by each node's total weight
instead, shape (n,), which saves a copy of all weights per question. Ranks are float64, for sums
over a million nodes in float32 would not come within the tolerance.

By push, mass waits at nodes. Where enough of it waits, a share of one less the damping stays as the
node's rank, and the rest is handed on along its edges, until nowhere enough is left. All nodes of a
round are pushed at once, so that a round is a few array operations.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.sorted_sets import distinct
from hoptrail.core.embedding import FloatArray, IntArray

_MOST_ITERATIONS = 200
_MOST_ROUNDS = 100


def pagerank(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray | None = None,
    *,
    seeds: FloatArray | None = None,
    damping: float = 0.85,
    tolerance: float = 1e-9,
) -> NDArray[np.float64]:
    """Return the stationary distribution of a random surfer, shape (n,), summing to 1.

    Row i of the CSR matrix lists the nodes that i links to. The surfer follows a link with
    probability `damping`, in proportion to its weight, and else jumps to a node in proportion to
    `seeds`; from a node without links it always jumps. (Page et al. 1999; Haveliwala 2002.)

    Args:
        indptr: Row starts, shape (n + 1,).
        indices: Link targets, shape (m,).
        weights: Non-negative link weights, shape (m,); all equal where None.
        seeds: Non-negative jump weights, shape (n,); uniform where None or all zero.
        damping: Probability of following a link.
        tolerance: Stop when the L1 change of one iteration is below it.
    """
    size = len(indptr) - 1
    if size == 0:
        return np.zeros(0)
    jump = _distribution(seeds, size)
    into, scale = _links(indptr, indices, weights)
    is_dangling = scale == 0
    ranks: NDArray[np.float64] = jump
    for _ in range(_MOST_ITERATIONS):
        followed = into @ (scale * ranks) + ranks[is_dangling].sum() * jump
        updated: NDArray[np.float64] = damping * followed + (1 - damping) * jump
        if np.abs(updated - ranks).sum() < tolerance:
            return updated
        ranks = updated
    return ranks


def _distribution(seeds: FloatArray | None, size: int) -> NDArray[np.float64]:
    if seeds is None or float(seeds.sum()) <= 0:
        return np.full(size, 1.0 / size)
    exact: NDArray[np.float64] = seeds.astype(np.float64)
    exact /= exact.sum()
    return exact


def _links(
    indptr: IntArray, indices: IntArray, weights: FloatArray | None
) -> tuple[Any, NDArray[np.float64]]:
    """Return the transposed matrix and one over each node's total weight, 0 without links."""
    from scipy.sparse import csr_matrix

    size = len(indptr) - 1
    data = np.ones(len(indices)) if weights is None else weights.astype(np.float64)
    matrix: Any = csr_matrix((data, indices, indptr), shape=(size, size))
    totals = np.asarray(matrix.sum(axis=1)).ravel()
    scale = np.divide(1.0, totals, out=np.zeros(size), where=totals > 0)
    return matrix.T, scale


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
    known = _KnownNodes(graph, len(start), tolerance)
    touched = np.flatnonzero(waiting).astype(np.int32)
    for _ in range(_MOST_ROUNDS):
        active = touched[waiting[touched] > known.least_mass(touched)]
        if len(active) == 0:
            break
        mass = waiting[active]
        waiting[active] = 0.0
        ranks[active] += (1.0 - damping) * mass
        positions, targets, weights, totals = known.edges(active)
        np.add.at(waiting, targets, (damping * mass / totals)[positions] * weights)
        # A node that nothing was handed to has no more than when it was last looked at.
        touched = distinct(targets)
        touched = touched[waiting[touched] > tolerance]
    return ranks + (1.0 - damping) * waiting


class _KnownNodes:
    """Degrees and edges of nodes that were met; most are looked at again in later rounds.

    Args:
        graph: Looks up a node's degree when it is first met, its edges when it is first pushed.
        size: Number of nodes in all.
        tolerance: As in `push`.
    """

    def __init__(self, graph: Neighbourhood, size: int, tolerance: float) -> None:
        self._graph = graph
        self._tolerance = tolerance
        self._least = np.full(size, np.nan)
        self._place_of = np.full(size, -1, dtype=np.int32)
        self._starts = np.zeros(1, dtype=np.int64)
        self._targets = np.zeros(0, dtype=np.int32)
        self._weights = np.zeros(0, dtype=np.float32)
        self._totals: NDArray[np.float64] = np.zeros(0)

    def least_mass(self, nodes: IntArray) -> NDArray[np.float64]:
        """Return above which mass each node is pushed; one without edges never is."""
        least = self._least[nodes]
        is_new = np.isnan(least)
        if is_new.any():
            degrees = self._graph.degrees(nodes[is_new])
            found = np.where(degrees > 0, self._tolerance * degrees, np.inf)
            least[is_new] = self._least[nodes[is_new]] = found
        return least

    def edges(self, nodes: IntArray) -> tuple[IntArray, IntArray, FloatArray, NDArray[np.float64]]:
        """Return what `Neighbourhood.edges` does, node after node, and each node's total weight."""
        new = nodes[self._place_of[nodes] < 0]
        if len(new):
            self._look_up(new)
        places = self._place_of[nodes]
        starts = self._starts[places]
        counts = self._starts[places + 1] - starts
        positions = np.repeat(np.arange(len(nodes), dtype=np.int32), counts)
        rows = (starts + counts - np.cumsum(counts))[positions] + np.arange(len(positions))
        return positions, self._targets[rows], self._weights[rows], self._totals[places]

    def _look_up(self, new: IntArray) -> None:
        positions, targets, weights = self._graph.edges(new)
        totals = np.bincount(positions, weights=weights, minlength=len(new))
        counts = np.bincount(positions, minlength=len(new))
        order = np.argsort(positions, kind="stable")
        self._place_of[new] = len(self._totals) + np.arange(len(new), dtype=np.int32)
        self._starts = np.concatenate((self._starts, self._starts[-1] + np.cumsum(counts)))
        self._targets = np.concatenate((self._targets, targets[order]))
        self._weights = np.concatenate((self._weights, weights[order]))
        self._totals = np.concatenate((self._totals, totals)).astype(np.float64)
