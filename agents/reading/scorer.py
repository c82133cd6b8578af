"""Weigh the features of candidates; learned by `benchmarks/train_reading.py`."""

from __future__ import annotations

import numpy as np

from hoptrail.agents.reading.features import FEATURES

WEIGHTS: dict[str, float] = {
    "fit": 1.990,
    "told": 2.076,
    "told_with_lead": 3.105,
    "before": 3.382,
    "like_told": 0.932,
    "like_told_with_lead": 1.321,
    "similarity": 1.239,
    "similarity_with_lead": 1.852,
    "clause_similarity": 3.650,
    "near": 0.174,
    "names": 0.083,
    "names_in_passage": 0.955,
    "years": 3.313,
    "denied": -3.183,
    "past": -0.540,
    "led": -0.144,
    "row": -0.580,
    "question": -2.050,
    "superseded": -1.321,
    "rank": 1.427,
}
BIAS = -11.666
_VECTOR = np.array([WEIGHTS.get(name, 0.0) for name in FEATURES])


def probabilities(features: np.ndarray) -> np.ndarray:
    """Return how likely each candidate is the answer, shape (n,); the rest is that none is.

    Args:
        features: Those of all candidates of a question, shape (n, len(FEATURES)).
    """
    scores = np.append(features @ _VECTOR + BIAS, 0.0)
    shares = np.exp(scores - scores.max())
    return (shares / shares.sum())[:-1]
