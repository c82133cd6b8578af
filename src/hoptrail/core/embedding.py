"""The role of an embedder, and the array types that vectors travel in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int32]
IdArray = NDArray[Any]


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
