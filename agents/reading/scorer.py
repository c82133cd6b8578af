"""Weigh the features of candidates; learned by `python -m benchmarks.everyday.train_reading`."""

from __future__ import annotations

import numpy as np

from hoptrail.agents.reading.features import FEATURES
from hoptrail.core.embedding import FloatArray

WEIGHTS: dict[str, float] = {
    "fit": 1.998,
    "told": 2.005,
    "told_with_lead": 3.010,
    "before": 3.689,
    "like_told": 0.841,
    "like_told_with_lead": 1.380,
    "similarity": 0.651,
    "similarity_with_lead": 2.366,
    "clause_similarity": 3.650,
    "near": 0.302,
    "names": 0.695,
    "names_in_passage": 0.197,
    "years": 3.292,
    "denied": -2.360,
    "past": -0.526,
    "row": -0.602,
    "question": -2.057,
    "superseded": -1.254,
    "noun_told": 0.074,
    "rank": 1.436,
    "single": 0.076,
}
BIAS = -11.443
_VECTOR = np.array([WEIGHTS.get(name, 0.0) for name in FEATURES], dtype=np.float32)


def scores_of(features: FloatArray) -> FloatArray:
    """Return how well candidates answer a question, shape (n,); 0 is as well as no answer.

    Args:
        features: Those of all candidates of a question, shape (n, len(FEATURES)).
    """
    scores: FloatArray = features @ _VECTOR + np.float32(BIAS)
    return scores


def probabilities(scores: FloatArray) -> FloatArray:
    """Return how likely each answer is the right one, shape (n,); the rest is that none is.

    Args:
        scores: Of the best candidate of each answer, shape (n,).
    """
    shares = np.exp(np.append(scores, np.float32(0)) - max(0.0, float(scores.max())))
    likely: FloatArray = (shares / shares.sum())[:-1].astype(np.float32)
    return likely
