"""The likeness of texts by their vectors, each text embedded once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hoptrail.core.embedding import Embed, FloatArray


class TextSimilarity:
    """Compares texts by meaning, and remembers their vectors for the question at hand.

    Args:
        embed: Unit vectors of texts, shape (n, dim); without it nothing is alike.
    """

    def __init__(self, embed: Embed | None = None) -> None:
        self._embed = embed
        self._vectors: dict[str, FloatArray] = {}

    def vector(self, text: str) -> FloatArray | None:
        """Return the unit vector of a text that was compared before, None without an embedder."""
        return self._vectors.get(text)

    def to(self, text: str, others: Sequence[str]) -> list[float]:
        """Return the cosine of a text and each of the others, 0 without an embedder."""
        if self._embed is None:
            return [0.0] * len(others)
        missing = [one for one in dict.fromkeys([text, *others]) if one not in self._vectors]
        if missing:
            self._vectors.update(zip(missing, self._embed(missing), strict=True))
        vector = self._vectors[text]
        return [float(np.dot(self._vectors[one], vector)) for one in others]
