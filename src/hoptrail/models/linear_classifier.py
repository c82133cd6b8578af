"""A linear classifier whose few weights come with the package."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray


@dataclass(frozen=True, slots=True)
class LinearClassifier:
    """Multinomial logistic regression.

    Attributes:
        classes: Names, in the order of the columns.
        weights: Shape (features, classes).
        bias: Shape (classes,).
        embedder: The model whose vectors are among the features; empty where none is.
    """

    classes: tuple[str, ...]
    weights: FloatArray
    bias: FloatArray
    embedder: str = ""

    def probabilities(self, features: FloatArray) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n, classes), for features (n, features)."""
        scores = features.astype(np.float64) @ self.weights + self.bias
        exponents = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: NDArray[np.float64] = exponents / exponents.sum(axis=1, keepdims=True)
        return shares

    def save(self, path: Path) -> None:
        """Write the classifier; equal ones give equal bytes."""
        np.savez(
            path,
            allow_pickle=False,
            classes=np.array(self.classes),
            weights=self.weights,
            bias=self.bias,
            embedder=np.array(self.embedder),
        )

    @classmethod
    def load(cls, path: Path | Traversable) -> Self:
        """Return a saved classifier.

        Raises:
            OSError: If the file cannot be read.
        """
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            return cls(
                tuple(str(name) for name in arrays["classes"]),
                arrays["weights"],
                arrays["bias"],
                str(arrays["embedder"]),
            )

    @classmethod
    @cache
    def shipped(cls, name: str) -> Self:
        """Return the classifier `weights/<name>.npz` of this package."""
        return cls.load(resources.files("hoptrail.models") / "weights" / f"{name}.npz")
