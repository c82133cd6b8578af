"""Which answers meet, and which of them need no judge."""

from __future__ import annotations

import pytest

from hoptrail.core.errors import InputError
from hoptrail.eval.judges.criteria import DIRECTNESS, OVERALL
from hoptrail.eval.judges.pairs import (
    AnswerPair,
    CriterionVerdict,
    Winner,
    decide_by_rule,
    pair_rows,
)
from tests.unit.eval.judges.scripted_judge import row


def test_rows_are_paired_by_id_in_the_order_of_the_first_run() -> None:
    pairs = pair_rows(
        [row(2, "b"), row(1, "a"), row(3, "c")], [row(1, "x"), row(2, None), row(9, "z")]
    )
    assert pairs == [
        AnswerPair("q2", "Question 2?", "b", None),
        AnswerPair("q1", "Question 1?", "a", "x"),
    ]


def test_a_crashed_row_is_no_answer() -> None:
    crashed = {"id": "q1", "question": "Question 1?", "preset": "vector", "passages": []}
    (pair,) = pair_rows([row(1, "a")], [crashed])
    assert pair.second is None


def test_runs_without_a_common_question_are_refused() -> None:
    with pytest.raises(InputError, match="no question in common"):
        pair_rows([row(1, "a")], [row(2, "b")])


def test_a_run_of_a_retriever_is_refused() -> None:
    with pytest.raises(InputError, match="holds no answers to judge"):
        pair_rows([row(1, "a")], [{"id": "q1", "question": "Question 1?", "passages": []}])


def test_one_id_with_two_texts_is_refused() -> None:
    with pytest.raises(InputError, match="'q1' has different texts"):
        pair_rows([row(1, "a")], [row(1, "b") | {"question": "Another?"}])


@pytest.mark.parametrize(
    ("first", "second", "is_unanswerable", "winner", "decision"),
    [
        ("a", None, False, "first", "abstention"),
        (None, "a", False, "second", "abstention"),
        (None, None, False, "tie", "abstention"),
        ("a", None, True, "second", "abstention"),
        (None, "a", True, "first", "abstention"),
        ("a  b", "a b", False, "tie", "identical"),
    ],
)
def test_a_missing_or_equal_answer_needs_no_judge(
    first: str | None, second: str | None, is_unanswerable: bool, winner: Winner, decision: str
) -> None:
    pair = AnswerPair("q", "Question?", first, second, is_unanswerable)
    judgement = decide_by_rule(pair, (DIRECTNESS, OVERALL))
    assert judgement is not None
    assert judgement.decided_by == decision
    assert judgement.verdicts == {
        "directness": CriterionVerdict(winner),
        "overall": CriterionVerdict(winner),
    }


def test_two_different_answers_need_a_judge() -> None:
    assert decide_by_rule(AnswerPair("q", "Question?", "a", "b"), (OVERALL,)) is None


def test_another_answer_has_another_fingerprint() -> None:
    pair = AnswerPair("q", "Question?", "a", "b")
    swapped = AnswerPair("q", "Question?", "b", "a")
    missing = AnswerPair("q", "Question?", "a", None)
    assert len({pair.fingerprint, swapped.fingerprint, missing.fingerprint}) == 3
