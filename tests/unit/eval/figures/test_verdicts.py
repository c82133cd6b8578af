"""Answers by whether they are right and how surely they are given."""

from __future__ import annotations

from typing import Any

import pytest

from hoptrail.eval.figures.verdicts import verdict_of, verdict_shares


def make_row(accuracy: float | None, abstain: float | None = 0.0, **fields: Any) -> dict[str, Any]:
    return {"scores": {"accuracy": accuracy, "abstain_rate": abstain}, "failure": None, **fields}


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (make_row(1.0), "right plain"),
        (make_row(1.0, perhaps=True), "right perhaps"),
        (make_row(0.0, perhaps=False), "wrong plain"),
        (make_row(0.0, perhaps=True), "wrong perhaps"),
        (make_row(0.0, 1.0), "abstained"),
        (make_row(1.0, 1.0), "abstained"),
        (make_row(None, None), None),
        (make_row(0.0, failure={"code": "model", "message": "down"}), None),
    ],
)
def test_an_answer_counts_by_its_text_and_its_reserve(
    row: dict[str, Any], verdict: str | None
) -> None:
    assert verdict_of(row) == verdict


def test_shares_add_up_to_one_over_what_was_answered_to() -> None:
    rows = [make_row(1.0), make_row(0.0, perhaps=True), make_row(None, None)]
    assert verdict_shares(rows) == {
        "right plain": 0.5,
        "right perhaps": 0.0,
        "wrong plain": 0.0,
        "wrong perhaps": 0.5,
        "abstained": 0.0,
    }


def test_a_run_of_retrieval_alone_has_no_verdicts() -> None:
    assert verdict_shares([make_row(None, None)]) is None
