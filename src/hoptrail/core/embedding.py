"""The role of an embedder, and the array types that vectors travel in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

_PROBE_TEXT = "The river Spree flows through Berlin, the capital of Germany since 1990."
_SAME_MODEL = 0.999  # cosine of the probe's vectors; below it, the weights differ

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int32]
IdArray = NDArray[Any]

Embed = Callable[[Sequence[str]], FloatArray]
"""From texts to their unit vectors, shape (len(texts), dim): `Embedder.embed`."""


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """Stable name of the model, stored with each knowledge base."""
        ...

    @property
    def dim(self) -> int:
        """Vector length."""
        ...

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of the texts, shape (len(texts), dim), float32."""
        ...


def embed_one(embedder: Embedder, text: str) -> FloatArray:
    """Return one text's unit vector, shape (dim,)."""
    vector: FloatArray = embedder.embed([text])[0]
    return vector


def probe_vector(embedder: Embedder) -> FloatArray:
    """Return the embedder's unit vector of a fixed text, shape (dim,), by which it is known."""
    vector = embed_one(embedder, _PROBE_TEXT)
    unit: FloatArray = (vector / (np.linalg.norm(vector) or 1.0)).astype(np.float32)
    return unit


def is_same_probe(one: FloatArray, other: FloatArray) -> bool:
    """Return whether two embedders with these probe vectors give the same vectors."""
    return len(one) == len(other) and float(one @ other) >= _SAME_MODEL
