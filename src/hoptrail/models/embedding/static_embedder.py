"""A static model: the vector of a text is the sum of the vectors of its tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray
from hoptrail.models.learned_weights import LearnedWeights

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BATCH = 1024
_SEED = 0


@dataclass(frozen=True, slots=True)
class TokenVectors(LearnedWeights):
    """A vector for each token of all-MiniLM-L6-v2, by its id.

    They were learned so that their sum points where the model's own vector of the text does
    (`benchmarks/train_static.py`); a token's length says how much it tells.

    Source: Tissier and others of Minish Lab, "Model2Vec: fast state-of-the-art static embeddings",
    2024, whose token vectors are likewise distilled from a sentence transformer.

    Attributes:
        coordinates: Along the axes, int8, shape (tokens, axes).
        lengths: What a coordinate of 1 is worth for each token, shape (tokens,).
        axes: Shape (axes, dim).
    """

    shipped_as: ClassVar[str] = "token_vectors.npz"

    coordinates: NDArray[np.int8]
    lengths: NDArray[np.float16]
    axes: NDArray[np.float16]


class StaticEmbedder:
    """Embeds short texts as the sum of their tokens' vectors; safe to share between threads.

    Args:
        name: What its name begins with.
        vectors: Gives those of the tokens; called when a text is first embedded.
        tokenizer: A `tokenizer.json` as the library tokenizers reads it.
    """

    def __init__(self, name: str, vectors: Callable[[], TokenVectors], tokenizer: Path) -> None:
        self._name = name
        self._load_vectors = vectors
        self._tokenizer_file = tokenizer

    @property
    def name(self) -> str:
        """The model's name, in which the digest of its vectors tells it from its other versions."""
        return f"{self._name} {self._digest}"

    @property
    def dim(self) -> int:
        """Vector length."""
        return int(self._axes.shape[1])

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of the texts, shape (len(texts), dim), float32.

        A text without any token gets the vector of an unknown one.
        """
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        for first in range(0, len(texts), _BATCH):
            vectors[first : first + _BATCH] = self._embed_batch(texts[first : first + _BATCH])
        return vectors

    def _embed_batch(self, texts: Sequence[str]) -> FloatArray:
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ids = [encoding.ids or [self._unknown] for encoding in encodings]
        starts = np.cumsum([0, *map(len, ids[:-1])])
        tokens = np.concatenate([np.array(each, dtype=np.int64) for each in ids])
        coordinates = self._vectors.coordinates[tokens].astype(np.float32)
        coordinates *= self._vectors.lengths[tokens, None].astype(np.float32)
        sums = np.add.reduceat(coordinates, starts, axis=0) @ self._axes
        unit: FloatArray = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        return unit

    @cached_property
    def basis(self) -> FloatArray:
        """Orthonormal columns that span all of its vectors, shape (dim, axes).

        They are turned at random, by which the coordinates of a vector become about equally large:
        the largest one decides how finely all are stored.
        """
        axes, _ = np.linalg.qr(self._axes.T.astype(np.float64))
        drawn = np.random.default_rng(_SEED).standard_normal((axes.shape[1], axes.shape[1]))
        turned, _ = np.linalg.qr(drawn)
        return np.ascontiguousarray(axes @ turned, dtype=np.float32)

    @cached_property
    def _vectors(self) -> TokenVectors:
        return self._load_vectors()

    @cached_property
    def _digest(self) -> str:
        return self._vectors.digest()

    @cached_property
    def _axes(self) -> FloatArray:
        return self._vectors.axes.astype(np.float32)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._tokenizer_file))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _unknown(self) -> int:
        return self._tokenizer.token_to_id("[UNK]") or 0
