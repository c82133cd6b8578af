"""Pairs of answers of two runs to the same questions, and what each of them came to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict, NodeUsage, Record
from hoptrail.eval.judges.criteria import Criterion

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


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """Two answers to one question; None stands for no answer (abstained or crashed).

    `is_unanswerable` is true where no answer is the right reaction.
    """

    id: str
    question: str
    first: str | None
    second: str | None
    is_unanswerable: bool = False

    @property
    def fingerprint(self) -> str:
        """A hash of the question and both answers."""
        told = json.dumps([self.question, self.first, self.second])
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def judged(self, decided_by: Decision, **outcome: Any) -> PairJudgement:
        """Return the judgement of these answers, with further fields of it."""
        return PairJudgement(self.id, self.question, self.fingerprint, decided_by, **outcome)


def pair_rows(first: Sequence[JsonDict], second: Sequence[JsonDict]) -> list[AnswerPair]:
    """Return the pairs of the questions that both runs have, in the order of the first run's rows.

    Args:
        first: Rows of `hoptrail eval` with a preset.
        second: Rows of another run over the same questions.

    Raises:
        InputError: If the runs share no question, one question has two texts, or a run has no
            answers because it measured a retriever.
    """
    for rows in (first, second):
        if rows and not any("answer" in row or "preset" in row for row in rows):
            raise InputError(
                "a run holds no answers to judge", hint="compare runs of presets, not retrievers"
            )
    others = {row["id"]: row for row in second}
    pairs = [_pair(row, others[row["id"]]) for row in first if row["id"] in others]
    if not pairs:
        raise InputError(
            "the runs have no question in common", hint="judge two runs of the same questions"
        )
    return pairs


def decide_by_rule(pair: AnswerPair, criteria: Sequence[Criterion]) -> PairJudgement | None:
    """Return the judgement of a pair that needs no judge, else None.

    No answer loses to any answer by every criterion, and wins where the question cannot be
    answered; two missing answers tie, and so do two answers in the same words.
    """
    found = _winner_by_rule(pair)
    if found is None:
        return None
    decision, winner = found
    verdicts = {criterion.name: CriterionVerdict(winner) for criterion in criteria}
    return pair.judged(decision, verdicts=verdicts)


def _winner_by_rule(pair: AnswerPair) -> tuple[Decision, Winner] | None:
    if pair.first is None and pair.second is None:
        return "abstention", "tie"
    if pair.first is None or pair.second is None:
        first_answers = pair.second is None
        return "abstention", "first" if first_answers != pair.is_unanswerable else "second"
    if pair.first.split() == pair.second.split():
        return "identical", "tie"
    return None


def _pair(first: JsonDict, second: JsonDict) -> AnswerPair:
    if first["question"] != second["question"]:
        raise InputError(
            f"question {first['id']!r} has different texts in the two runs",
            hint="judge two runs of the same questions",
        )
    is_unanswerable = bool(first.get("unanswerable"))
    return AnswerPair(
        first["id"], first["question"], _answer(first), _answer(second), is_unanswerable
    )


def _answer(row: JsonDict) -> str | None:
    text = str(row.get("answer") or "").strip()
    return text if text and not row.get("abstained") else None
