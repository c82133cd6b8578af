"""Errors by cause."""

from __future__ import annotations

from typing import Any

import pytest

from hoptrail.eval.figures.error_decomposition import classify, error_shares, reasoning_share


def make_scores(accuracy: float | None, coverage: float | None, abstained: float = 0.0) -> Any:
    return {"accuracy": accuracy, "coverage": coverage, "abstain_rate": abstained}


CORRECT = make_scores(1.0, 0.0)
ABSTAINED = make_scores(0.0, 1.0, 1.0)
MISSED = make_scores(0.0, 0.0)
MISREAD = make_scores(0.0, 1.0)
YES_NO = make_scores(0.0, None)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (CORRECT, "correct"),
        (ABSTAINED, "abstained"),
        (MISSED, "retrieval_failure"),
        (MISREAD, "reasoning_failure"),
        (YES_NO, "undecided"),
        (make_scores(1.0, None, 1.0), "correct"),
        (make_scores(None, 1.0), None),
    ],
)
def test_a_question_has_one_class(scores: Any, expected: str | None) -> None:
    assert classify(scores) == expected


def make_row(scores: Any, code: str | None = None) -> Any:
    return {"scores": scores, "failure": code and {"code": code, "message": ""}}


def test_shares_add_up_over_the_answered_questions() -> None:
    rows = [make_row(scores) for scores in (CORRECT, CORRECT, ABSTAINED, MISSED)]
    assert error_shares([*rows, make_row(make_scores(None, 1.0))]) == {
        "correct": 0.5,
        "abstained": 0.25,
        "retrieval_failure": 0.25,
        "reasoning_failure": 0.0,
        "undecided": 0.0,
        "failed": 0.0,
    }


def test_a_question_that_broke_is_no_failure_of_retrieval() -> None:
    shares = error_shares([make_row(MISSED, "model_unavailable"), make_row(MISSED, "missing_gold")])
    assert shares is not None
    assert (shares["failed"], shares["retrieval_failure"]) == (0.5, 0.5)


def test_a_retriever_has_no_errors_of_answering() -> None:
    assert error_shares([make_row(make_scores(None, 1.0))]) is None


def test_the_reasoning_share_counts_abstentions_as_wrong() -> None:
    rows = [make_row(scores) for scores in (CORRECT, ABSTAINED, MISREAD, MISSED, YES_NO)]
    assert reasoning_share(rows) == pytest.approx(2 / 3)
    assert reasoning_share(rows[:1]) is None
