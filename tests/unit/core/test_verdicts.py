from __future__ import annotations

import pytest

from hoptrail.core.verdicts import COMPLETE_SIMILARITY, PARTIAL_SIMILARITY, Verdict, verdict_at


@pytest.mark.parametrize(
    ("similarity", "verdict"),
    [
        (COMPLETE_SIMILARITY, "complete"),
        (PARTIAL_SIMILARITY, "partial"),
        (PARTIAL_SIMILARITY - 0.01, "irrelevant"),
    ],
)
def test_a_similarity_stands_for_a_verdict(similarity: float, verdict: Verdict) -> None:
    assert verdict_at(similarity) == verdict


def test_a_caller_may_ask_for_more() -> None:
    assert verdict_at(0.7, complete=0.9, partial=0.8) == "irrelevant"
