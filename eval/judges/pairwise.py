"""A blind referee of two answers, asked in both orders (sources 002 and 003)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import BaseModel

from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelReplyError
from hoptrail.core.text import sentence_spans
from hoptrail.core.tokens import TokenCounter
from hoptrail.core.types import JsonDict
from hoptrail.eval.judges.criteria import CRITERIA, Criterion
from hoptrail.eval.judges.pairs import (
    AnswerPair,
    CriterionVerdict,
    PairJudgement,
    Vote,
    Winner,
    combine,
)
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.evaluation import Choice, Preference, preferences_form
from hoptrail.prompts.loader import SHIPPED, Prompts

_REPLY_TOKENS_PER_CRITERION = 150
_DEFAULT_ANSWER_TOKENS = 1500
_AS_SHOWN: dict[Choice, Winner] = {"A": "first", "B": "second", "tie": "tie"}
_SWAPPED: dict[Choice, Winner] = {"A": "second", "B": "first", "tie": "tie"}

CUT_MARK = "[...]"
_WORD_END = re.compile(r"\S(?=\s|$)")
_LINE_END = re.compile(r"\n")


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
