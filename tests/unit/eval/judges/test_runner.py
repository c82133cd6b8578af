"""A comparison of two runs: stored as it goes, continued, capped, stopped by a lasting failure."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.errors import (
    CostLimitError,
    InputError,
    ModelUnavailableError,
    SettingsError,
)
from hoptrail.core.settings import Settings
from hoptrail.core.types import NodeUsage
from hoptrail.eval.judges.criteria import DIRECTNESS, OVERALL
from hoptrail.eval.judges.pairwise import (
    CriterionVerdict,
    PairJudgement,
    PairwiseJudge,
    Vote,
    Winner,
    combine,
)
from hoptrail.eval.judges.runner import PairwiseReport, judge_runs, position_bias, report_pairwise
from hoptrail.eval.runs.worker import RunProgress
from hoptrail.models.chat import ChatModels
from hoptrail.testing import ScriptedChatModel
from tests.unit.eval.judges.scripted_judge import judge_model, row

FIRST = [row(1, "rain"), row(2, "wind"), row(3, "sun"), row(4, None)]
SECOND = [row(1, "snow"), row(2, "hail"), row(3, "sun"), row(4, "fog")]
DOWN = ModelUnavailableError("the server is down")


def prefers_a() -> ScriptedChatModel:
    return ScriptedChatModel(by_role={"judge_eval": {"overall": {"winner": "A"}}})


def judge_of(script: ScriptedChatModel) -> PairwiseJudge:
    return PairwiseJudge(judge_model(script), criteria=(OVERALL,))


def stored(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "judgements.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("concurrency", [1, 3])
def test_every_pair_gets_a_stored_judgement(tmp_path: Path, concurrency: int) -> None:
    script = prefers_a()
    report = judge_runs(FIRST, SECOND, judge_of(script), tmp_path, concurrency=concurrency)
    assert len(script.calls) == 4
    assert report.decided_by == {"abstention": 1, "identical": 1, "judge": 2}
    assert sorted(item["id"] for item in stored(tmp_path)) == ["q1", "q2", "q3", "q4"]
    assert json.loads((tmp_path / "pairwise.json").read_text("utf-8")) == report.to_json()


def test_names_of_the_runs_are_reported_and_never_shown_to_the_judge(tmp_path: Path) -> None:
    script = prefers_a()
    report = judge_runs(
        FIRST, SECOND, judge_of(script), tmp_path, names=("preset:ours", "preset:theirs")
    )
    assert (report.first, report.second) == ("preset:ours", "preset:theirs")
    assert not any("ours" in call.text or "theirs" in call.text for call in script.calls)


def test_the_same_call_again_asks_nothing(tmp_path: Path) -> None:
    first = judge_runs(FIRST, SECOND, judge_of(prefers_a()), tmp_path)
    script = prefers_a()
    assert judge_runs(FIRST, SECOND, judge_of(script), tmp_path) == first
    assert not script.calls


def test_a_half_written_line_is_judged_again(tmp_path: Path) -> None:
    first = judge_runs(FIRST, SECOND, judge_of(prefers_a()), tmp_path)
    path = tmp_path / "judgements.jsonl"
    path.write_bytes(path.read_bytes()[:-10])
    script = prefers_a()
    again = judge_runs(FIRST, SECOND, judge_of(script), tmp_path)
    assert len(stored(tmp_path)) == 4
    assert again.criteria == first.criteria


def test_a_changed_answer_is_judged_again(tmp_path: Path) -> None:
    judge_runs(FIRST, SECOND, judge_of(prefers_a()), tmp_path)
    script = prefers_a()
    judge_runs(FIRST, [row(1, "sleet"), *SECOND[1:]], judge_of(script), tmp_path)
    assert {call.question for call in script.calls} == {"Question 1?"}


def test_judgements_by_other_criteria_are_not_mixed(tmp_path: Path) -> None:
    judge_runs(FIRST, SECOND, judge_of(prefers_a()), tmp_path)
    other = PairwiseJudge(judge_model(prefers_a()), criteria=(DIRECTNESS,))
    with pytest.raises(InputError, match="another criteria"):
        judge_runs(FIRST, SECOND, other, tmp_path)


def test_an_unreadable_reply_is_reported_and_tried_again_by_the_next_call(tmp_path: Path) -> None:
    script = ScriptedChatModel(replies=["Hm.", "Hm.", {"overall": {"winner": "B"}}])
    report = judge_runs(FIRST, SECOND, judge_of(script), tmp_path)
    assert report.decided_by["unjudged"] == 1
    assert report.criteria["overall"].n == 3
    again = judge_runs(FIRST, SECOND, judge_of(prefers_a()), tmp_path)
    assert "unjudged" not in again.decided_by


def test_the_cost_limit_stops_before_the_next_pair_and_keeps_what_is_paid(tmp_path: Path) -> None:
    with pytest.raises(CostLimitError, match="run again with a higher limit"):
        judge_runs(FIRST, SECOND, judge_of(prefers_a()), tmp_path, max_usd=0.01)
    assert [item["id"] for item in stored(tmp_path)] == ["q1"]
    script = prefers_a()
    assert judge_runs(FIRST, SECOND, judge_of(script), tmp_path).decided_by["judge"] == 2
    assert {call.question for call in script.calls} == {"Question 2?"}


def test_a_passing_failure_leaves_one_pair_unjudged(tmp_path: Path) -> None:
    script = ScriptedChatModel(replies=[DOWN, {"overall": {"winner": "A"}}])
    report = judge_runs(FIRST, SECOND, judge_of(script), tmp_path)
    assert report.decided_by["unjudged"] == 1
    assert stored(tmp_path)[0]["failure"] == "the server is down"


def test_a_lasting_failure_stops_the_comparison(tmp_path: Path) -> None:
    first = [row(number, "a") for number in range(9)]
    second = [row(number, "b") for number in range(9)]
    script = ScriptedChatModel(replies=[DOWN])
    with pytest.raises(ModelUnavailableError, match="4 failures in a row: the server is down"):
        judge_runs(first, second, judge_of(script), tmp_path)
    assert len(script.calls) == 4


def test_the_limit_takes_the_first_pairs(tmp_path: Path) -> None:
    assert judge_runs(FIRST, SECOND, judge_of(prefers_a()), tmp_path, limit=2).n == 2


def test_judgements_beyond_the_limit_are_kept(tmp_path: Path) -> None:
    judge_runs(FIRST, SECOND, judge_of(prefers_a()), tmp_path)
    assert judge_runs(FIRST, SECOND, judge_of(prefers_a()), tmp_path, limit=1).n == 1
    assert len(stored(tmp_path)) == 4


def test_a_model_that_cannot_be_opened_is_one_clear_error(tmp_path: Path) -> None:
    model = ChatModels(Settings(), {"judge_eval": "nobody"}).for_role("judge_eval")
    with pytest.raises(SettingsError, match="'nobody' names no provider"):
        judge_runs(FIRST, SECOND, PairwiseJudge(model), tmp_path)


def test_progress_counts_pairs_and_dollars(tmp_path: Path) -> None:
    seen: list[RunProgress] = []
    judge_runs(FIRST, SECOND, judge_of(prefers_a()), tmp_path, report=seen.append)
    assert [(state.done, state.total) for state in seen] == [(n, 4) for n in range(5)]
    assert seen[0].usd == 0 < seen[1].usd


JUDGED_WITH = {"criteria": {"overall": "Which is better?"}}


def judged(number: int, shown_first: Winner, shown_last: Winner) -> PairJudgement:
    verdict = combine(Vote(shown_first), Vote(shown_last))
    usage = NodeUsage(llm_calls=2, usd=0.5)
    return PairJudgement(f"q{number}", "Q?", "f", "judge", {"overall": verdict}, usage=usage)


def by_rule(number: int, winner: Winner) -> PairJudgement:
    return PairJudgement(
        f"q{number}", "Q?", "f", "abstention", {"overall": CriterionVerdict(winner)}
    )


def unjudged(number: int) -> PairJudgement:
    return PairJudgement(f"q{number}", "Q?", "f", "unjudged", failure="no reply")


def report(*judgements: PairJudgement) -> PairwiseReport:
    return report_pairwise(("a", "b"), JUDGED_WITH, judgements)


def test_shares_are_over_the_pairs_with_a_verdict() -> None:
    found = report(
        judged(1, "first", "first"),
        judged(2, "second", "second"),
        judged(3, "first", "second"),
        by_rule(4, "first"),
        unjudged(5),
    )
    overall = found.criteria["overall"]
    assert found.n == 5
    assert found.decided_by == {"abstention": 1, "judge": 3, "unjudged": 1}
    assert (overall.n, overall.first, overall.second, overall.tie) == (4, 0.5, 0.25, 0.25)
    low, high = overall.ci95["first"] or (1, 0)
    assert low < 0.5 < high


def test_the_p_value_is_that_of_a_sign_test_without_ties() -> None:
    wins = [judged(number, "first", "first") for number in range(8)]
    losses = [judged(8, "second", "second")]
    ties = [judged(9, "tie", "tie")]
    expected = 2 * (comb(9, 0) + comb(9, 1)) / 2**9
    assert report(*wins, *losses, *ties).criteria["overall"].p == pytest.approx(expected)


def test_ties_alone_are_no_evidence() -> None:
    assert report(judged(1, "tie", "tie")).criteria["overall"].p == 1


def test_position_bias_counts_votes_for_the_answer_shown_first() -> None:
    verdicts = [
        combine(Vote("first"), Vote("second")),
        combine(Vote("second"), Vote("second")),
        combine(Vote("first"), Vote("tie")),
        CriterionVerdict("first"),
    ]
    found = position_bias(verdicts)
    assert found.inconsistency_rate == pytest.approx(2 / 3)
    assert found.first_shown_share == pytest.approx(4 / 5)


def test_without_any_vote_there_is_no_position_bias_to_tell() -> None:
    found = report(by_rule(1, "first")).position
    assert (found.inconsistency_rate, found.first_shown_share) == (None, None)


def test_without_any_verdict_shares_are_none() -> None:
    overall = report(unjudged(1)).criteria["overall"]
    assert (overall.n, overall.first, overall.ci95["first"]) == (0, None, None)


def test_usage_is_summed() -> None:
    usage = report(judged(1, "tie", "tie"), judged(2, "tie", "tie"), by_rule(3, "tie")).usage
    assert (usage.llm_calls, usage.usd) == (4, 1.0)
