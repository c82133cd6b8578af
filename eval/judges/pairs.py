"""Pairs of answers of two runs to the same questions, and the pairs that need no judge."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict
from hoptrail.eval.judges.criteria import Criterion
from hoptrail.eval.judges.verdicts import CriterionVerdict, Decision, PairJudgement, Winner


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
    return PairJudgement(pair.id, pair.question, pair.fingerprint, decision, verdicts)


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
