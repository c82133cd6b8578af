"""Pairs of answers of two runs, and a blind referee of them, asked in both orders.

Sources 002 and 003.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel

from hoptrail.core.budget import Meter
from hoptrail.core.errors import InputError, ModelReplyError
from hoptrail.core.text import sentence_spans
from hoptrail.core.tokens import TokenCounter
from hoptrail.core.types import JsonDict, NodeUsage, Record
from hoptrail.eval.judges.criteria import CRITERIA, Criterion
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.evaluation import Choice, Preference, preferences_form
from hoptrail.prompts.loader import SHIPPED, Prompts

Winner = Literal["first", "second", "tie"]
"""Of two systems: `first` is the one named first, wherever its answer was shown."""

Decision = Literal["judge", "abstention", "identical", "unjudged"]
"""How a pair was decided: by the model, by a rule that needs none; `unjudged` is neither."""

_REPLY_TOKENS_PER_CRITERION = 150
_DEFAULT_ANSWER_TOKENS = 1500
_AS_SHOWN: dict[Choice, Winner] = {"A": "first", "B": "second", "tie": "tie"}
_SWAPPED: dict[Choice, Winner] = {"A": "second", "B": "first", "tie": "tie"}

CUT_MARK = "[...]"
_WORD_END = re.compile(r"\S(?=\s|$)")
_LINE_END = re.compile(r"\n")


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


class PairwiseJudge:
    """Compares two answers by several criteria without knowing whose they are.

    Each pair takes two calls, one per order; by a criterion on which they differ the pair ties.

    Args:
        model: The model of role `judge_eval`.
        criteria: By what to compare.
        answer_tokens: Tokens of each answer that the judge reads; longer ones are cut.
        prompts: Shipped prompts and their overrides.
    """

    def __init__(
        self,
        model: RoleModel,
        *,
        criteria: Sequence[Criterion] = CRITERIA,
        answer_tokens: int = _DEFAULT_ANSWER_TOKENS,
        prompts: Prompts = SHIPPED,
    ) -> None:
        self._model = model
        self._prompt = prompts.load("judge_pair")
        self._answer_tokens = answer_tokens
        self._form = preferences_form({item.name: item.definition for item in criteria})
        self.criteria = tuple(criteria)

    @property
    def settings(self) -> JsonDict:
        """All that a judgement depends on besides the answers."""
        return {
            "model": self._model.name,
            "prompt": self._prompt.hash,
            "criteria": {item.name: item.definition for item in self.criteria},
            "answer_tokens": self._answer_tokens,
        }

    async def judge(self, pair: AnswerPair) -> PairJudgement:
        """Return the judgement of a pair of two answers, unjudged where a reply is unreadable.

        Raises:
            ModelUnavailableError: If the model cannot be reached.
        """
        count = await self._model.token_counter()
        first = shorten(pair.first or "", self._answer_tokens, count)
        second = shorten(pair.second or "", self._answer_tokens, count)
        meter = Meter("judge_eval")
        try:
            shown_first = await self._ask(pair.question, first, second, meter)
            shown_last = await self._ask(pair.question, second, first, meter)
        except ModelReplyError as error:
            return pair.judged("unjudged", failure=error.message, usage=meter.usage)
        verdicts = {
            item.name: _verdict(_read(shown_first, item), _read(shown_last, item))
            for item in self.criteria
        }
        return pair.judged("judge", verdicts=verdicts, usage=meter.usage)

    async def _ask(self, question: str, answer_a: str, answer_b: str, meter: Meter) -> BaseModel:
        listed = "\n".join(f"- {item.name}: {item.definition}" for item in self.criteria)
        messages = self._prompt.render(
            criteria=listed, question=question, answer_a=answer_a, answer_b=answer_b
        )
        max_tokens = _REPLY_TOKENS_PER_CRITERION * (1 + len(self.criteria))
        return await self._model.structured(
            messages, self._form, meter=meter, max_tokens=max_tokens
        )


def _read(reply: BaseModel, criterion: Criterion) -> Preference:
    preference: Preference = getattr(reply, criterion.name)
    return preference


def _verdict(shown_first: Preference, shown_last: Preference) -> CriterionVerdict:
    return combine(
        Vote(_AS_SHOWN[shown_first.winner], shown_first.reason),
        Vote(_SWAPPED[shown_last.winner], shown_last.reason),
    )


def shorten(text: str, budget: int, count: TokenCounter) -> str:
    """Return the text, or as many of its first sentences as fit and a mark that it was cut.

    A list without full stops is cut between lines, a first sentence over the budget between words.

    Args:
        text: An answer.
        budget: Tokens that it may take, the mark not counted.
        count: Token counter.
    """
    text = text.strip()
    if count(text) <= budget:
        return text
    sentence_ends = [end for _, end in sentence_spans(text)]
    line_ends = [match.start() for match in _LINE_END.finditer(text)]
    word_ends = [match.end() for match in _WORD_END.finditer(text)]
    for ends in (sorted({*sentence_ends, *line_ends}), word_ends):
        kept = _longest_prefix(text, ends, budget, count)
        if kept:
            return f"{kept} {CUT_MARK}"
    return CUT_MARK


def _longest_prefix(text: str, ends: list[int], budget: int, count: TokenCounter) -> str:
    """Return the longest prefix at one of the sorted ends that fits; counts grow with length."""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if count(text[: ends[middle]]) <= budget:
            low = middle + 1
        else:
            high = middle
    return text[: ends[low - 1]].rstrip() if low else ""
