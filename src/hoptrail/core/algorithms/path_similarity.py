"""How similar paths of relations are to a question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hoptrail.core.embedding import FloatArray


def path_similarities(
    vectors: FloatArray, paths: Sequence[Sequence[int]], question: FloatArray
) -> FloatArray:
    """Return the similarity of each path to a question, shape (len(paths),).

    A path's vector is the direction of the mean of its relations' vectors. It stands for the vector
    of the path's text, which need not be embedded then.

    Args:
        vectors: Vectors of relations, shape (n, dim).
        paths: The places of each path's relations in `vectors`; at least one.
        question: Unit vector, shape (dim,).
    """
    if not paths:
        return np.zeros(0, dtype=np.float32)
    means = np.stack([vectors[list(places)].mean(axis=0) for places in paths])
    lengths = np.maximum(np.linalg.norm(means, axis=1), np.finfo(np.float32).tiny)
    similar: FloatArray = (means @ question / lengths).astype(np.float32)
    return similar
