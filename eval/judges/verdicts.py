"""Votes, verdicts and judgements: two answers compared in both orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hoptrail.core.types import NodeUsage, Record

Winner = Literal["first", "second", "tie"]
"""Of two systems: `first` is the one named first, wherever its answer was shown."""

Decision = Literal["judge", "abstention", "identical", "unjudged"]
"""How a pair was decided: by the model, by a rule that needs none; `unjudged` is neither."""


@dataclass(frozen=True, slots=True)
class Vote(Record):
    """The judge's choice by one criterion in one order, with its reason."""

    winner: Winner
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CriterionVerdict(Record):
    """The outcome by one criterion.

    Attributes:
        winner: The choice of both orders, a tie where they differ.
        votes: With the first system's answer shown first, then shown last; none where a rule
            decided.
    """

    winner: Winner
    votes: tuple[Vote, ...] = ()

    @property
    def is_consistent(self) -> bool:
        """Whether both orders led to the same choice."""
        return len({vote.winner for vote in self.votes}) <= 1


@dataclass(frozen=True, slots=True)
class PairJudgement(Record):
    """The outcome for one question.

    Attributes:
        id: The question's id.
        question: Its text.
        answers: Fingerprint of both answers as judged; another one calls for a new judgement.
        decided_by: The judge or a rule.
        verdicts: By the criterion's name; none where unjudged.
        failure: Why there is no judgement.
        usage: What it cost.
    """

    id: str
    question: str
    answers: str
    decided_by: Decision
    verdicts: Mapping[str, CriterionVerdict] = field(default_factory=dict)
    failure: str | None = None
    usage: NodeUsage = NodeUsage()


def combine(shown_first: Vote, shown_last: Vote) -> CriterionVerdict:
    """Return the verdict of two votes; where they differ, position decided one, so it is a tie."""
    agree = shown_first.winner == shown_last.winner
    return CriterionVerdict(shown_first.winner if agree else "tie", (shown_first, shown_last))
