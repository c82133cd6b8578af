"""How well a path of predicates fits a question: a small learned bilinear model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray

Steps = Sequence[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class PathScorer:
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

    def scores(self, question: FloatArray, predicates: FloatArray, paths: Steps) -> FloatArray:
        """Return a score per path, shape (len(paths),): log odds, up to a constant.

        Args:
            question: Unit vectors of the question with its topic masked and of the words around
                the mask, shape (2, dim).
            predicates: Unit vectors of the predicates' texts, shape (p, dim).
            paths: Steps are twice the row in `predicates`, plus 1 where it is followed backwards.
        """
        whole = question.reshape(-1)
        mapped = self.question.astype(np.float32) @ whole
        latent = predicates @ self.predicate.astype(np.float32).T
        table = mapped @ latent.T + self.bias[:, :, None]
        table += (self.similarity @ (question @ predicates.T))[:, None, :]
        lengths = self.length.astype(np.float32) @ whole
        rows, places, steps = flatten(paths)
        found = np.bincount(
            rows, weights=table[places, steps & 1, steps >> 1], minlength=len(paths)
        )
        sizes = np.bincount(rows, minlength=len(paths))
        scores: FloatArray = (found + lengths[sizes - 1]).astype(np.float32)
        return scores

    def save(self, path: Path) -> None:
        """Write the scorer; equal ones give equal bytes."""
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        np.savez(path, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: Path | Traversable) -> Self:
        """Return a saved scorer.

        Raises:
            OSError: If the file cannot be read.
        """
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            return cls(*(arrays[field.name] for field in fields(cls)))

    @classmethod
    @cache
    def shipped(cls) -> Self:
        """Return the scorer that comes with this package."""
        return cls.load(resources.files("hoptrail.models") / "weights" / "path_scorer.npz")


def flatten(paths: Steps) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return path number, place in the path and step of every step of every path."""
    sizes = [len(path) for path in paths]
    rows = np.repeat(np.arange(len(paths)), sizes)
    places = np.array([place for size in sizes for place in range(size)], dtype=np.intp)
    steps = np.array([step for path in paths for step in path], dtype=np.intp)
    return rows, places, steps
