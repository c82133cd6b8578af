"""Scores on a common scale."""

from __future__ import annotations

import numpy as np

from hoptrail.core.embedding import FloatArray


def softmax(scores: FloatArray, temperature: float = 1.0) -> FloatArray:
    """Return shares that sum to 1, the steeper the lower the temperature; empty stays empty."""
    if len(scores) == 0:
        return scores
    exponents = np.exp((scores - scores.max()) / temperature)
    shares: FloatArray = exponents / exponents.sum()
    return shares


def scaled_to_best(ranks: np.ndarray[tuple[int], np.dtype[np.float64]]) -> FloatArray:
    """Return the ranks divided by the best one; all zeros stay zeros."""
    best = ranks.max(initial=0.0)
    return (ranks / best if best > 0 else ranks).astype(np.float32)
