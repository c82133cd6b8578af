"""Score how well a path of predicates fits a question, by a small learned bilinear model.

Paths have different lengths, so each is a row of step numbers with -1 behind its end, shape (paths,
hops). Steps are looked up in a table over place, direction and predicate, shape (hops, 2, p), one
place of all paths at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.models.learned_weights import LearnedWeights


@dataclass(frozen=True, slots=True)
class PathScorer(LearnedWeights):
    """Scores a path step by step, so that any number of paths costs one small product.

    A step counts by the question's vectors, the predicate's, its place in the path and its
    direction; a path also by its length. It sees vectors of texts alone and knows no graph. A
    question has two vectors: of the whole, and of the words around its topic.

    Attributes:
        question: Maps the question by place and direction, shape (hops, 2, rank, 2 * dim).
        predicate: Maps a predicate, shape (rank, dim).
        length: Maps the question to a score by length, shape (hops, 2 * dim).
        bias: By place and direction, shape (hops, 2).
        similarity: Weight of a predicate's similarity to either vector, by place, shape (hops, 2).
        embedder: Name of the model whose vectors it was trained on, shape ().
    """

    shipped_as: ClassVar[str] = "path_scorer.npz"

    question: NDArray[np.float16]
    predicate: NDArray[np.float16]
    length: NDArray[np.float16]
    bias: FloatArray
    similarity: FloatArray
    embedder: NDArray[np.str_]

    @property
    def hops(self) -> int:
        """Steps of the longest path that it can score."""
        return len(self.length)

    def scores(self, question: FloatArray, predicates: FloatArray, paths: IntArray) -> FloatArray:
        """Return a score per path, shape (paths,): log odds, up to a constant.

        Args:
            question: Unit vectors of the question with its topic masked and of the words around
                the mask, shape (2, dim).
            predicates: Unit vectors of the predicates' texts, shape (p, dim).
            paths: Steps of each path, shape (paths, hops or fewer): twice the row in `predicates`,
                plus 1 where it is followed backwards; -1 behind its end.
        """
        whole = question.reshape(-1)
        mapped = self.question.astype(np.float32) @ whole
        latent = predicates @ self.predicate.astype(np.float32).T
        table = mapped @ latent.T + self.bias[:, :, None]
        table += (self.similarity @ (question @ predicates.T))[:, None, :]
        lengths = self.length.astype(np.float32) @ whole
        found = np.zeros(len(paths))
        for place, steps in enumerate(paths.T):
            rows = np.flatnonzero(steps >= 0)
            taken = steps[rows]
            found[rows] += table[place, taken & 1, taken >> 1]
        scores: FloatArray = (found + lengths[lengths_of(paths) - 1]).astype(np.float32)
        return scores


def lengths_of(paths: IntArray) -> NDArray[np.intp]:
    """Return the number of steps of each path, shape (paths,)."""
    lengths: NDArray[np.intp] = np.count_nonzero(paths >= 0, axis=1)
    return lengths
