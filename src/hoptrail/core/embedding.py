"""The role of an embedder, and the array types that vectors travel in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.lru_cache import LruCache

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


@runtime_checkable
class QuestionEmbedder(Protocol):
    """The further methods of an `Embedder` that embeds questions apart from passages."""

    is_symmetric: bool
    """Whether questions and passages are embedded alike all the same."""

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of questions, shape (len(texts), dim), float32."""
        ...


class RemoteEmbedder(ABC):
    """An `Embedder` whose every call takes time and may cost money: nothing is embedded needlessly.

    It embeds questions apart from passages, where its model does. What it spends is booked to
    the meter of `hoptrail.core.budget.booking_to`.
    """

    is_symmetric: bool = False
    """Whether questions and passages are embedded alike."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Stable name of the model, stored with each knowledge base."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Vector length; a call finds out where it is not known yet."""

    @abstractmethod
    def embed_each(self, texts: Sequence[str]) -> Iterator[tuple[list[int], FloatArray]]:
        """Yield places of passages with their unit vectors, shape (len(places), dim), as they come.

        Whatever arrives before an error is yielded before it is raised.
        """

    @abstractmethod
    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of questions, shape (len(texts), dim), float32."""

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of passages, shape (len(texts), dim), float32."""
        parts = list(self.embed_each(texts))
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for places, rows in parts:
            vectors[places] = rows
        return vectors


def static_of(embedder: Embedder) -> Embedder | None:
    """Return the static model that comes with an embedder, None where there is none.

    It gives short texts vectors in the same space, by adding up vectors of their words: a thousand
    times as fast and less exact.
    """
    found: Embedder | None = getattr(embedder, "static", None)
    return found


def known_static_of(embedder: Embedder) -> Embedder | None:
    """Return the static model that comes with an embedder, also where the settings do without it.

    Vectors that it made before are made by it again.
    """
    unused: Embedder | None = getattr(embedder, "unused_static", None)
    return static_of(embedder) or unused


def basis_of(static: Embedder) -> FloatArray | None:
    """Return orthonormal columns that span all vectors of a static model, None if it has no such.

    Shape (dim, n), n < dim: a vector's n coordinates along them tell as much as its dim components.
    As many columns as components would save nothing.
    """
    found: FloatArray | None = getattr(static, "basis", None)
    return None if found is None or found.shape[1] == found.shape[0] else found


def embed_each(embedder: Embedder, texts: Sequence[str]) -> Iterator[tuple[list[int], FloatArray]]:
    """Yield places of the texts with their unit vectors, shape (len(places), dim), as they come."""
    if isinstance(embedder, RemoteEmbedder):
        yield from embedder.embed_each(texts)
    else:
        yield list(range(len(texts))), embedder.embed(texts)


def embed_queries(embedder: Embedder, texts: Sequence[str]) -> FloatArray:
    """Return the unit vectors of questions, shape (len(texts), dim), float32."""
    if isinstance(embedder, QuestionEmbedder):
        return embedder.embed_queries(texts)
    return embedder.embed(texts)


def is_symmetric(embedder: Embedder) -> bool:
    """Return whether questions and passages are embedded alike."""
    return not isinstance(embedder, QuestionEmbedder) or embedder.is_symmetric


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


class RememberingEmbedder:
    """Embeds what is new, the least recently used texts forgotten; usable from any thread.

    Args:
        embedder: Embeds what is not remembered.
        most: Texts that are remembered.
        of_queries: Whether the texts are questions, which some models embed otherwise.
    """

    def __init__(self, embedder: Embedder, most: int, *, of_queries: bool = False) -> None:
        self.embedder = embedder
        self._of_queries = of_queries
        self._vectors: LruCache[str, FloatArray] = LruCache(most)

    @property
    def name(self) -> str:
        """The name of the model that embeds."""
        return self.embedder.name

    @property
    def dim(self) -> int:
        """Vector length."""
        return self.embedder.dim

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of the texts, shape (len(texts), dim), float32."""
        known = self._vectors.known(texts)
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            # Copies: a row would keep the vectors of all that was embedded with it.
            made = {text: vector.copy() for text, vector in zip(new, self._embed(new), strict=True)}
            known.update(made)
            self._vectors.remember(made)
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = known[text]
        return vectors

    def _embed(self, texts: Sequence[str]) -> FloatArray:
        if self._of_queries:
            return embed_queries(self.embedder, texts)
        return self.embedder.embed(texts)
