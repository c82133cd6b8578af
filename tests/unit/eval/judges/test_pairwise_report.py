"""Figures of a comparison against hand-computed ones."""

from __future__ import annotations

from math import comb

import pytest

from hoptrail.core.types import NodeUsage
from hoptrail.eval.judges.pairs import CriterionVerdict, PairJudgement, Vote, Winner, combine
from hoptrail.eval.judges.pairwise_report import PairwiseReport, position_bias, report_pairwise

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
