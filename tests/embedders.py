"""Embedders that keep what they are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.core.embedding import FloatArray
from hoptrail.testing import HashingEmbedder


class CountingEmbedder(HashingEmbedder):
    """Keeps the texts that it embeds."""

    def __init__(self, dim: int = 64) -> None:
        super().__init__(dim)
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.texts += texts
        return super().embed(texts)
