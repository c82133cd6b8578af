"""Personalised PageRank by power iteration on a sparse matrix.

The links are one CSR matrix (int32 rows and columns), multiplied with the ranks once per iteration.
It is never normalised: the ranks are divided by each node's total weight instead, shape (n,), which
saves a copy of all weights per question. Ranks are float64, for sums over a million nodes in
float32 would not come within the tolerance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray


def pagerank(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray | None = None,
    *,
    seeds: FloatArray | None = None,
    damping: float = 0.85,
    tolerance: float = 1e-9,
    max_iterations: int = 200,
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
        max_iterations: Stop after so many in any case.
    """
    size = len(indptr) - 1
    if size == 0:
        return np.zeros(0)
    jump = _distribution(seeds, size)
    into, scale = _links(indptr, indices, weights)
    is_dangling = scale == 0
    ranks: NDArray[np.float64] = jump
    for _ in range(max_iterations):
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
