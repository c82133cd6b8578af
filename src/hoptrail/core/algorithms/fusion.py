"""Several rankings made into one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray


def reciprocal_rank_fusion(
    rankings: Sequence[IntArray],
    weights: Sequence[float] | None = None,
    *,
    constant: float = 60.0,
) -> tuple[IntArray, FloatArray]:
    """Fuse rankings of row numbers: an item scores the sum of weight / (constant + rank).

    Ranks begin at 1; an item that a ranking lacks gets nothing from it. Source: Cormack, Clarke
    and Buettcher, "Reciprocal rank fusion outperforms Condorcet", SIGIR 2009.

    Args:
        rankings: Distinct row numbers each, best first.
        weights: One per ranking; all 1 where None.
        constant: How flat the scores are: the smaller, the more the first ranks count.

    Returns:
        Rows and scores, best first, ties by row.
    """
    if not any(len(ranking) for ranking in rankings):
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32)
    shares = [1.0] * len(rankings) if weights is None else weights
    scores = np.concatenate(
        [
            share / (constant + np.arange(1, len(ranking) + 1))
            for ranking, share in zip(rankings, shares, strict=True)
        ]
    )
    rows, places = np.unique(np.concatenate(list(rankings)), return_inverse=True)
    totals = np.bincount(places, weights=scores, minlength=len(rows))
    order = np.lexsort((rows, -np.round(totals, 9)))
    return rows[order].astype(np.int32), totals[order].astype(np.float32)
