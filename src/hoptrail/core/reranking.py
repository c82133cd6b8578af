"""The role of a reranker: it says how well each passage answers a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hoptrail.core.embedding import FloatArray

NO_RERANKER = "none"
"""The name that turns a reranker of the settings off."""


class Reranker(Protocol):
    """Scores passages that a retriever found, by reading each beside the question.

    Whatever it raises, and scores that cannot be used, leave the passages in the retriever's own
    order, and the answer says so.
    """

    @property
    def name(self) -> str:
        """Name of the model, for messages and reports."""
        ...

    def score(self, question: str, passages: Sequence[str]) -> FloatArray | Sequence[float]:
        """Return a finite score for each passage, the higher the better, shape (len(passages),).

        Args:
            question: As it was retrieved for.
            passages: Their titles and texts, in the retriever's order.
        """
        ...
