"""An embedder that remembers: one question is asked through many channels, names come again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hoptrail.core.embedding import Embedder, FloatArray, embed_queries
from hoptrail.core.lru_cache import LruCache


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
