"""A deterministic embedder without a model, and the tests that every embedder must pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from hoptrail.core.embedding import Embedder, FloatArray
from hoptrail.core.text import content_words, words


class HashingEmbedder:
    """Embeds a text as the sum of its content words' hash vectors, so shared words are near.

    The same text has the same vector in every process. A text without a word hashes as a whole.
    """

    def __init__(self, dim: int = 64) -> None:
        self._dim = dim

    @property
    def name(self) -> str:
        """The name `hashing-<dim>`."""
        return f"hashing-{self._dim}"

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._dim

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of the texts, shape (len(texts), dim), float32."""
        vectors = np.zeros((len(texts), self._dim), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in content_words(text) or words(text) or [text]:
                vectors[row] += _hash_vector(word, self._dim)
            norm = float(np.linalg.norm(vectors[row]))
            vectors[row] = vectors[row] / norm if norm > 0 else _hash_vector(text, self._dim)
        return vectors


@lru_cache(maxsize=65536)
def _hash_vector(word: str, dim: int) -> FloatArray:
    """Return the word's unit vector of signs, shape (dim,), read-only."""
    digest = b"".join(
        blake2b(word.encode(errors="surrogatepass"), salt=bytes([block])).digest()
        for block in range(-(-dim // 512))
    )
    bits = np.unpackbits(np.frombuffer(digest, dtype=np.uint8))[:dim]
    vector = (bits.astype(np.float32) * 2 - 1) / np.float32(np.sqrt(dim))
    vector.setflags(write=False)
    return vector


class EmbedderContract(ABC):
    """Tests that every embedder must pass: subclass it and override `make_embedder`."""

    @abstractmethod
    def make_embedder(self) -> Embedder:
        """Return the embedder under test."""

    def test_vectors_are_unit_float32_rows_of_the_named_dimension(self) -> None:
        """Each text gets one unit vector of `dim` float32 values."""
        embedder = self.make_embedder()
        vectors = embedder.embed(["a river in France", "a", ""])
        assert vectors.shape == (3, embedder.dim)
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)

    def test_no_text_gives_no_row(self) -> None:
        """An empty batch has the shape (0, dim)."""
        embedder = self.make_embedder()
        assert embedder.embed([]).shape == (0, embedder.dim)

    def test_vectors_follow_the_order_of_the_texts(self) -> None:
        """A text's vector does not depend on its neighbours in the batch."""
        embedder = self.make_embedder()
        texts = ["short", "a much longer text about rivers, towns and bridges " * 8, "medium text"]
        batch = embedder.embed(texts)
        for row, text in enumerate(texts):
            np.testing.assert_allclose(batch[row], embedder.embed([text])[0], atol=1e-4)

    def test_a_text_is_nearer_to_a_paraphrase_than_to_another_topic(self) -> None:
        """Cosine similarity follows shared meaning (or at least shared words)."""
        question, near, far = self.make_embedder().embed(
            [
                "Which river flows through Paris?",
                "The river Seine flows through Paris.",
                "Sodium reacts with water.",
            ]
        )
        assert float(question @ near) > float(question @ far)

    def test_name_is_stable(self) -> None:
        """Two instances of one embedder carry one name."""
        assert self.make_embedder().name == self.make_embedder().name
