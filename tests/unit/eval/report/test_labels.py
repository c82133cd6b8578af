"""How figures are written, and which outcome a question has."""

from __future__ import annotations

from typing import Any

import pytest

from hoptrail.eval.report import labels
from hoptrail.eval.report.labels import (
    OutcomeClass,
    figure,
    interval,
    outcome_class,
    p_value,
    signed,
)
from tests.unit.eval.report.runs import make_row

ANSWERED = {"accuracy": 0.0, "abstain_rate": 0.0}


@pytest.mark.parametrize(
    ("value", "name", "text"),
    [
        (0.7725, "recall@5", "0.772"),
        (None, "recall@5", "–"),
        (100, "n", "100"),
        (4393.25, "tokens_mean", "4,393"),
        (1.5, "llm_calls_mean", "1.5"),
        (0.0421, "seconds_p50", "0.042 s"),
        (6.83, "seconds_p95", "6.8 s"),
        (0.00031, "usd_mean", "$0.00031"),
        (0.0, "usd_mean", "$0"),
    ],
)
def test_a_figure_has_the_digits_and_unit_of_its_metric(
    value: float | None, name: str, text: str
) -> None:
    assert figure(value, name) == text


def test_a_difference_shows_its_sign() -> None:
    assert [signed(value) for value in (0.05, -0.05, 0.0, -0.0001)] == [
        "+0.050",
        "\N{MINUS SIGN}0.050",
        "±0",
        "±0",
    ]


def test_intervals_and_p_values() -> None:
    assert interval((0.1, 0.25)) == "0.100 to 0.250"
    assert interval(None) == ""
    assert [p_value(p) for p in (0.0002, 0.0123)] == ["< 0.001", "0.012"]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"accuracy": 1.0, "abstain_rate": 0.0}, labels.CORRECT),
        ({"accuracy": 0.0, "abstain_rate": 1.0}, labels.ABSTAINED),
        ({**ANSWERED, "coverage": 0.0}, labels.RETRIEVAL),
        ({**ANSWERED, "coverage": 1.0}, labels.REASONING),
        ({**ANSWERED, "coverage": None}, labels.WRONG),
        ({"all_support@10": 1.0, "coverage": 0.0}, labels.COMPLETE),
        ({"all_support@10": 0.0, "coverage": 1.0}, labels.COVERED),
        ({"all_support@10": 0.0, "coverage": 0.0}, labels.MISSED),
        ({"all_support@10": None, "coverage": 1.0}, labels.COMPLETE),
        ({}, labels.UNSCORED),
    ],
)
def test_a_question_is_classified_by_its_answer_else_by_what_was_found(
    scores: dict[str, Any], expected: OutcomeClass
) -> None:
    assert outcome_class(make_row(1, scores=scores)) is expected


def test_a_crash_is_no_error_of_the_system_and_missing_gold_is_no_crash() -> None:
    scores = {"accuracy": 1.0, "abstain_rate": 0.0}
    crashed = make_row(1, scores=scores, failure={"code": "model", "message": "down"})
    missing = make_row(1, scores=scores, failure={"code": "missing_gold", "message": "d9"})
    assert outcome_class(crashed) is labels.CRASHED
    assert outcome_class(missing) is labels.CORRECT
