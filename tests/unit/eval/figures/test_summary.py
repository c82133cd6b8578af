"""Figures of a run, computed from hand-made rows."""

from __future__ import annotations

from typing import Any

import pytest

from hoptrail.eval.figures.summary import (
    classify,
    error_shares,
    reasoning_share,
    summarize,
    verdict_of,
    verdict_shares,
)
from hoptrail.eval.metrics.registry import METRICS


def make_row(**fields: Any) -> dict[str, Any]:
    scores = dict.fromkeys((metric.name for metric in METRICS), None)
    return {
        "type": fields.get("type"),
        "hops": fields.get("hops"),
        "unanswerable": fields.get("unanswerable", False),
        "seconds": fields.get("seconds", 1.0),
        "failure": fields.get("failure"),
        "trail": fields.get("trail"),
        "usage": fields.get("usage"),
        "scores": {**scores, **fields.get("scores", {})},
    }


def test_means_leave_out_questions_that_say_nothing() -> None:
    rows = [make_row(scores={"recall@5": score}) for score in (1.0, 0.5, None)]
    summary = summarize(rows)
    assert summary["recall@5"] == 0.75
    assert summary["accuracy"] is None
    assert summary["n"] == 3


def test_failed_rows_are_counted_and_stay_in_the_means() -> None:
    rows = [
        make_row(scores={"accuracy": 1.0}),
        make_row(scores={"accuracy": 0.0}, failure={"code": "model", "message": "down"}),
    ]
    summary = summarize(rows)
    assert (summary["n_failed"], summary["accuracy"]) == (1, 0.5)


def test_the_supported_share_counts_hops_not_questions() -> None:
    rows = [
        make_row(trail=[{"supported": True}, {"supported": True}, {"supported": False}]),
        make_row(trail=[{"supported": False}]),
        make_row(trail=[]),
    ]
    assert summarize(rows)["supported_share"] == 0.5


def test_abstaining_is_scored_as_a_detector_of_unanswerable_questions() -> None:
    cases = [(True, 1.0), (True, 0.0), (False, 1.0), (False, 0.0)]
    rows = [make_row(unanswerable=u, scores={"abstain_rate": a}) for u, a in cases]
    assert summarize(rows)["unanswerable_f1"] == 0.5
    assert summarize(rows[2:])["unanswerable_f1"] is None


def test_costs_come_from_usage_and_times_from_usage_or_retrieval() -> None:
    usage = {"llm_calls": 2, "prompt_tokens": 90, "completion_tokens": 10, "usd": 0.5}
    rows = [make_row(usage={**usage, "seconds": seconds}) for seconds in (1.0, 3.0)]
    summary = summarize(rows)
    assert (summary["llm_calls_mean"], summary["tokens_mean"], summary["usd_mean"]) == (2, 100, 0.5)
    assert (summary["seconds_p50"], summary["seconds_p95"]) == (2.0, pytest.approx(2.9))
    retrieval = summarize([make_row(seconds=0.25)])
    assert (retrieval["seconds_p50"], retrieval["llm_calls_mean"]) == (0.25, None)


def test_breakdowns_have_the_same_figures_per_group() -> None:
    rows = [
        make_row(type="bridge", hops=2, scores={"recall@5": 1.0}),
        make_row(type="comparison", hops=2, scores={"recall@5": 0.0}),
        make_row(type=None, hops=None, scores={"recall@5": 0.0}),
    ]
    summary = summarize(rows)
    assert summary["by_type"]["bridge"]["recall@5"] == 1
    assert (summary["by_hops"]["2"]["n"], summary["by_hops"]["2"]["recall@5"]) == (2, 0.5)
    assert summary["by_type"].keys() == {"bridge", "comparison"}


def test_a_retrieval_from_the_cache_counts_with_the_seconds_of_its_first_time() -> None:
    usage = {"llm_calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "usd": 0, "seconds": 1.0}
    row = {**make_row(usage=usage), "seconds_cached": 0.5}
    assert summarize([row])["seconds_p50"] == 1.5


def test_answers_that_no_judge_could_settle_are_counted() -> None:
    verdicts = [{"equivalent": None}, {"equivalent": False}, None]
    rows = [{**make_row(), "judged": verdict} for verdict in verdicts]
    assert summarize(rows)["n_unjudged"] == 1


def test_the_keys_are_those_of_the_contract() -> None:
    assert {
        *("n", "n_failed", "recall@2", "recall@5", "recall@10", "all_support@5", "all_support@10"),
        *("all_support@8", "coverage", "coverage_retrieved", "coverage_random", "accuracy", "f1"),
        *("em", "hits@1", "hit", "set_f1", "abstain_rate", "unanswerable_f1", "reasoning_share"),
        *("supported_share", "llm_calls_mean", "tokens_mean", "seconds_p50", "seconds_p95"),
        *("usd_mean", "by_type", "by_hops", "ci95"),
    } <= summarize([make_row()]).keys()


def test_no_rows_give_no_figures() -> None:
    summary = summarize([])
    assert (summary["n"], summary["recall@5"], summary["seconds_p50"]) == (0, None, None)


def make_row_verdicts(
    accuracy: float | None, abstain: float | None = 0.0, **fields: Any
) -> dict[str, Any]:
    return {"scores": {"accuracy": accuracy, "abstain_rate": abstain}, "failure": None, **fields}


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (make_row_verdicts(1.0), "right plain"),
        (make_row_verdicts(1.0, perhaps=True), "right perhaps"),
        (make_row_verdicts(0.0, perhaps=False), "wrong plain"),
        (make_row_verdicts(0.0, perhaps=True), "wrong perhaps"),
        (make_row_verdicts(0.0, 1.0), "abstained"),
        (make_row_verdicts(1.0, 1.0), "abstained"),
        (make_row_verdicts(None, None), None),
        (make_row_verdicts(0.0, failure={"code": "model", "message": "down"}), None),
    ],
)
def test_an_answer_counts_by_its_text_and_its_reserve(
    row: dict[str, Any], verdict: str | None
) -> None:
    assert verdict_of(row) == verdict


def test_shares_add_up_to_one_over_what_was_answered_to() -> None:
    rows = [
        make_row_verdicts(1.0),
        make_row_verdicts(0.0, perhaps=True),
        make_row_verdicts(None, None),
    ]
    assert verdict_shares(rows) == {
        "right plain": 0.5,
        "right perhaps": 0.0,
        "wrong plain": 0.0,
        "wrong perhaps": 0.5,
        "abstained": 0.0,
    }


def test_a_run_of_retrieval_alone_has_no_verdicts() -> None:
    assert verdict_shares([make_row_verdicts(None, None)]) is None


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


def make_scored_row(scores: Any, code: str | None = None) -> Any:
    return {"scores": scores, "failure": code and {"code": code, "message": ""}}


def test_shares_add_up_over_the_answered_questions() -> None:
    rows = [make_scored_row(scores) for scores in (CORRECT, CORRECT, ABSTAINED, MISSED)]
    assert error_shares([*rows, make_scored_row(make_scores(None, 1.0))]) == {
        "correct": 0.5,
        "abstained": 0.25,
        "retrieval_failure": 0.25,
        "reasoning_failure": 0.0,
        "undecided": 0.0,
        "failed": 0.0,
    }


def test_a_question_that_broke_is_no_failure_of_retrieval() -> None:
    shares = error_shares(
        [make_scored_row(MISSED, "model_unavailable"), make_scored_row(MISSED, "missing_gold")]
    )
    assert shares is not None
    assert (shares["failed"], shares["retrieval_failure"]) == (0.5, 0.5)


def test_a_retriever_has_no_errors_of_answering() -> None:
    assert error_shares([make_scored_row(make_scores(None, 1.0))]) is None


def test_the_reasoning_share_counts_abstentions_as_wrong() -> None:
    rows = [make_scored_row(scores) for scores in (CORRECT, ABSTAINED, MISREAD, MISSED, YES_NO)]
    assert reasoning_share(rows) == pytest.approx(2 / 3)
    assert reasoning_share(rows[:1]) is None
