"""Judge the paths of a workspace: the role of a judge, and one that needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from hoptrail.core.algorithms.path_similarity import path_similarities
from hoptrail.core.embedding import FloatArray
from hoptrail.core.verdicts import COMPLETE_SIMILARITY, PARTIAL_SIMILARITY, verdict_at
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.paths.path_hits import FoundPath

_FOLLOWED = 3


@dataclass(frozen=True, slots=True)
class Judged:
    """Paths with verdicts (`complete`, `partial`, `irrelevant`), and what to look for next.

    `queries` are unit vectors, shape (dim,) each; none ends the search.
    """

    paths: tuple[FoundPath, ...]
    queries: tuple[FloatArray, ...] = ()


@runtime_checkable
class PathJudge(Protocol):
    """Judges the paths of one round."""

    def judge(self, view: View, paths: Sequence[FoundPath], question: FloatArray) -> Judged:
        """Return the paths with verdicts and scores, and the next round's queries."""
        ...


@dataclass(frozen=True, slots=True)
class SimilarityJudge:
    """Judges a path by the similarity of its relations to the question.

    A path is complete from `complete`, irrelevant below `partial`. The ends of the best partial
    paths are mixed into the question for the next round.

    Attributes:
        complete: Least similarity of a complete path.
        partial: Least similarity of a path that is kept.
    """

    complete: float = COMPLETE_SIMILARITY
    partial: float = PARTIAL_SIMILARITY

    def judge(self, view: View, paths: Sequence[FoundPath], question: FloatArray) -> Judged:
        """Return the paths with verdicts and scores, best first, and the next queries."""
        relations = np.unique([row for path in paths for row in path.relations]).astype(np.int32)
        places = [np.searchsorted(relations, path.relations).tolist() for path in paths]
        vectors = view.vectors["relation"].vectors_at(relations)
        scores = path_similarities(vectors, places, question)
        judged = [
            replace(path, score=score, verdict=verdict_at(score, self.complete, self.partial))
            for path, score in zip(paths, scores.tolist(), strict=True)
        ]
        judged.sort(key=lambda path: (-round(path.score, 5), path.relations))
        ends = [path.entities[-1] for path in judged if path.verdict == "partial"]
        rows = np.array(list(dict.fromkeys(ends))[:_FOLLOWED], dtype=np.int32)
        vectors = view.vectors["entity"].vectors_at(rows)
        mixed = vectors + question
        lengths = np.linalg.norm(mixed, axis=1, keepdims=True)
        return Judged(tuple(judged), tuple(mixed / np.maximum(lengths, 1e-9)))
