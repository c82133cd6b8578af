"""Verdicts on paths, and the similarity that stands for one where no model judges."""

from __future__ import annotations

from typing import Literal

Verdict = Literal["complete", "partial", "irrelevant"]

COMPLETE_SIMILARITY = 0.6
PARTIAL_SIMILARITY = 0.3


def verdict_at(
    similarity: float, complete: float = COMPLETE_SIMILARITY, partial: float = PARTIAL_SIMILARITY
) -> Verdict:
    """Return the verdict on a path that is this similar to the question.

    Args:
        similarity: Cosine of path and question.
        complete: Least similarity of a complete path.
        partial: Least similarity of a path that leads there.
    """
    if similarity >= complete:
        return "complete"
    return "partial" if similarity >= partial else "irrelevant"
