from typing import Any

import pytest

from hoptrail.eval.report import outcomes
from hoptrail.eval.report.outcomes import OutcomeClass, outcome_class
from tests.unit.eval.report.runs import make_row

ANSWERED = {"accuracy": 0.0, "abstain_rate": 0.0}


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"accuracy": 1.0, "abstain_rate": 0.0}, outcomes.CORRECT),
        ({"accuracy": 0.0, "abstain_rate": 1.0}, outcomes.ABSTAINED),
        ({**ANSWERED, "coverage": 0.0}, outcomes.RETRIEVAL),
        ({**ANSWERED, "coverage": 1.0}, outcomes.REASONING),
        ({**ANSWERED, "coverage": None}, outcomes.WRONG),
        ({"all_support@10": 1.0, "coverage": 0.0}, outcomes.COMPLETE),
        ({"all_support@10": 0.0, "coverage": 1.0}, outcomes.COVERED),
        ({"all_support@10": 0.0, "coverage": 0.0}, outcomes.MISSED),
        ({"all_support@10": None, "coverage": 1.0}, outcomes.COMPLETE),
        ({}, outcomes.UNSCORED),
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
    assert outcome_class(crashed) is outcomes.CRASHED
    assert outcome_class(missing) is outcomes.CORRECT
