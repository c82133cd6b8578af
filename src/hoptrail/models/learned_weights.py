"""Learned arrays in a file: a dataclass of NumPy arrays that is saved, loaded and shipped."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import ClassVar, Self

import numpy as np


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
