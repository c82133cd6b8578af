"""Paths of relations: how near to a question, the verdict on that, and which only begin others."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Literal

import numpy as np

from hoptrail.core.embedding import FloatArray

Verdict = Literal["complete", "partial", "irrelevant"]

COMPLETE_SIMILARITY = 0.6
PARTIAL_SIMILARITY = 0.3


def verdict_at(
    similarity: float, complete: float = COMPLETE_SIMILARITY, partial: float = PARTIAL_SIMILARITY
) -> Verdict:
    """Return the verdict on a path that is this similar to the question.

    Args:
        similarity: Cosine of path and question.
        complete: Least similarity of a complete path.
        partial: Least similarity of a path that leads there.
    """
    if similarity >= complete:
        return "complete"
    return "partial" if similarity >= partial else "irrelevant"


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


def without_prefixes(
    paths: Sequence[Sequence[Hashable]], finished: Collection[int] = ()
) -> list[int]:
    """Return the places of the paths that are no proper prefix of another, repetitions once.

    Args:
        paths: Each as the sequence of its edges.
        finished: Places of paths that stay although a longer one begins with them.
    """
    prefixes = {tuple(path[:end]) for path in paths for end in range(1, len(path))}
    first = {tuple(path): place for place, path in reversed(list(enumerate(paths)))}
    return [
        place
        for place, path in enumerate(paths)
        if path
        and first[tuple(path)] == place
        and (place in finished or tuple(path) not in prefixes)
    ]
