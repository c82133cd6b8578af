"""The figures of a pairwise comparison, computed from its judgements alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hoptrail.core.types import JsonDict, NodeUsage, Record
from hoptrail.eval.figures.statistics import Interval, bootstrap_ci95, mcnemar, mean
from hoptrail.eval.judges.pairs import CriterionVerdict, PairJudgement, Winner


@dataclass(frozen=True, slots=True)
class PositionBias(Record):
    """Whether it mattered which answer the judge saw first.

    Attributes:
        inconsistency_rate: Share of verdicts on which the two orders differ.
        first_shown_share: Share of the votes for an answer that went to the one shown first; .5
            is none the better for its place.
    """

    inconsistency_rate: float | None
    first_shown_share: float | None


@dataclass(frozen=True, slots=True)
class CriterionResult(Record):
    """How often either system won by one criterion.

    Attributes:
        n: Pairs with a verdict, those decided by a rule included.
        first: Share of them that the first system won.
        second: Share that the second one won.
        tie: Share that neither won.
        ci95: Bootstrap intervals of these shares, by their names.
        p: Exact two-sided sign test over the pairs that are no tie; 1 where all are.
        position: Position bias among the verdicts of the judge.
    """

    n: int
    first: float | None
    second: float | None
    tie: float | None
    ci95: Mapping[str, Interval | None]
    p: float
    position: PositionBias


@dataclass(frozen=True, slots=True)
class PairwiseReport(Record):
    """A comparison of two runs.

    Attributes:
        first: Name of the first run.
        second: Name of the second run.
        judged_with: Model, prompt, criteria with their definitions, and length of answers.
        n: Pairs of answers.
        decided_by: Number of pairs by what decided them.
        criteria: Result by criterion.
        position: Position bias over all criteria.
        usage: What the judgements cost, those of earlier, stopped calls included.
    """

    first: str
    second: str
    judged_with: JsonDict
    n: int
    decided_by: Mapping[str, int]
    criteria: Mapping[str, CriterionResult]
    position: PositionBias
    usage: NodeUsage


def report_pairwise(
    names: tuple[str, str], judged_with: JsonDict, judgements: Sequence[PairJudgement]
) -> PairwiseReport:
    """Return the report on the judgements; unjudged pairs are counted and left out of shares.

    Args:
        names: Of the first and the second run.
        judged_with: `PairwiseJudge.settings`.
        judgements: One per pair.
    """
    verdicts = {
        name: [item.verdicts[name] for item in judgements if name in item.verdicts]
        for name in judged_with["criteria"]
    }
    first, second = names
    return PairwiseReport(
        first=first,
        second=second,
        judged_with=judged_with,
        n=len(judgements),
        decided_by=dict(sorted(Counter(item.decided_by for item in judgements).items())),
        criteria={name: _result(found) for name, found in verdicts.items()},
        position=position_bias([verdict for found in verdicts.values() for verdict in found]),
        usage=sum((item.usage for item in judgements), NodeUsage()),
    )


def position_bias(verdicts: Sequence[CriterionVerdict]) -> PositionBias:
    """Return the position bias among the verdicts that have votes."""
    voted = [verdict for verdict in verdicts if verdict.votes]
    places: tuple[Winner, Winner] = ("first", "second")
    for_first_shown = [
        vote.winner == shown_first
        for verdict in voted
        for vote, shown_first in zip(verdict.votes, places, strict=True)
        if vote.winner != "tie"
    ]
    return PositionBias(
        mean([not verdict.is_consistent for verdict in voted]), mean(for_first_shown)
    )


def _result(verdicts: Sequence[CriterionVerdict]) -> CriterionResult:
    outcomes: tuple[Winner, ...] = ("first", "second", "tie")
    hits = {
        outcome: [float(verdict.winner == outcome) for verdict in verdicts] for outcome in outcomes
    }
    differences = [
        second - first for first, second in zip(hits["first"], hits["second"], strict=True)
    ]
    return CriterionResult(
        n=len(verdicts),
        first=mean(hits["first"]),
        second=mean(hits["second"]),
        tie=mean(hits["tie"]),
        ci95={outcome: bootstrap_ci95(found) for outcome, found in hits.items()},
        # McNemar's exact test is the sign test of the pairs that disagree.
        p=mcnemar(differences).p,
        position=position_bias(verdicts),
    )
