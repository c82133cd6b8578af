"""Small learned models in files of arrays that come with the package."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """Base of small models; every field of a subclass is an array."""

    shipped_as: ClassVar[str]
    """Name of the file of weights that comes with this package."""

    def save(self, path: Path) -> None:
        """Write the weights; equal ones give equal bytes."""
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        np.savez(path, allow_pickle=False, **arrays)

    def digest(self) -> str:
        """Return what tells these weights from others: 16 hexadecimal digits."""
        found = hashlib.sha256()
        for field in fields(self):
            found.update(np.ascontiguousarray(getattr(self, field.name)).tobytes())
        return found.hexdigest()[:16]

    @classmethod
    def load(cls, path: Path | Traversable) -> Self:
        """Return saved weights.

        Raises:
            OSError: If the file cannot be read.
        """
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            return cls(*(arrays[field.name] for field in fields(cls)))

    @classmethod
    @cache
    def shipped(cls) -> Self:
        """Return the weights that come with this package."""
        return cls.load(resources.files("hoptrail.models") / "weights" / cls.shipped_as)


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
