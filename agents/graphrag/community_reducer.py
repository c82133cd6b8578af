"""Compose one answer from the partial answers of all batches.

The reduce step of Edge et al., "From Local to Global", 2024.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from langchain_core.messages import BaseMessage

from hoptrail.agents.decision import PromptedModel
from hoptrail.agents.graphrag.community_mapper import PartialAnswer, lay_out_reports, ranked
from hoptrail.agents.graphrag.report_references import (
    cited_numbers,
    presenter,
    reference_to,
    references_in,
    without_references,
)
from hoptrail.core.errors import ModelReplyError
from hoptrail.core.reply_conventions import (
    FINAL_PATTERN,
    is_abstention,
    is_unknown_alone,
    opens_with_unknown,
)
from hoptrail.core.tokens import TokenCounter, estimate_tokens
from hoptrail.core.types import Community, Strategy
from hoptrail.core.types.draft import Draft
from hoptrail.models.streamed_reply import Present

MAX_REDUCED_TOKENS = 2048
_JOINED_POINTS = 8
_REFERENCES_ADDED = 5
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


async def reduce_answers(
    question: str,
    partial: Sequence[PartialAnswer],
    reports: Mapping[int, Community],
    model: PromptedModel,
    *,
    budget: int,
    temperature: float,
    message_id: str | None = None,
) -> Draft:
    """Return the answer that one call of the role `answerer` makes of the partial answers.

    They are ranked by helpfulness into the budget. The answer is streamed as it is written;
    references to reports that no partial answer names are removed from it. An answer without any
    reference ends with those of the best partial answers. A reply that is empty, refuses, or has
    neither marker nor reference leaves the partial answers themselves (strategy `extractive`).

    Args:
        question: The standalone question.
        partial: What the batches contribute, in any order; none is an abstention without a call.
        reports: The reports that they may rest on, by number.
        model: The answerer.
        budget: Tokens of the partial answers that it is sent.
        temperature: Of the call.
        message_id: Id under which the answer is streamed.

    Raises:
        BudgetExceededError: If no call is left.
        ModelUnavailableError: If the model cannot be reached.
    """
    points = _best(partial, reports, budget, await model.chat.token_counter())
    if not points:
        return Draft("map_reduce", reason="no_evidence")
    messages = model.prompts.load("reduce_answers").render(
        question=question, points="\n".join(_line(point) for point in points)
    )
    behind = {number: reports[number] for point in points for number in point.reports}
    draft = await _compose(messages, behind, model, temperature, message_id)
    return draft or _joined(points, reports)


async def answer_at_once(
    question: str,
    reports: Mapping[int, Community],
    model: PromptedModel,
    *,
    budget: int,
    temperature: float,
    message_id: str | None = None,
) -> Draft | None:
    """Return the answer that one call of the role `answerer` makes of the reports themselves.

    It takes the place of both steps where one batch holds all reports: what a map call would
    write, the reduce call would only write once more.

    Args:
        question: The standalone question.
        reports: The reports by number, the most relevant first.
        model: The answerer.
        budget: Tokens that a report may take.
        temperature: Of the call.
        message_id: Id under which the answer is streamed.

    Returns:
        The draft; None where the reply cannot be used.

    Raises:
        BudgetExceededError: If no call is left.
        ModelUnavailableError: If the model cannot be reached.
    """
    laid_out = lay_out_reports(reports, budget, await model.chat.token_counter())
    messages = model.prompts.load("answer_reports").render(question=question, reports=laid_out)
    return await _compose(messages, reports, model, temperature, message_id)


async def _compose(
    messages: Sequence[BaseMessage],
    behind: Mapping[int, Community],
    model: PromptedModel,
    temperature: float,
    message_id: str | None,
) -> Draft | None:
    """Return what a call makes of what it reads, None where the reply cannot be used."""
    present = _presenter(behind)
    try:
        reply = await model.chat.reply(
            messages,
            meter=model.meter,
            temperature=temperature,
            max_tokens=MAX_REDUCED_TOKENS,
            shows_answer=True,
            message_id=message_id,
            withhold=_gives_no_answer,
            present=present,
        )
    except ModelReplyError:
        return None
    return _read(reply, behind, present)


def join_answers(
    partial: Sequence[PartialAnswer],
    reports: Mapping[int, Community],
    budget: int,
) -> Draft:
    """Return the most helpful partial answers as a list: the answer where no model composes one."""
    return _joined(_best(partial, reports, budget, estimate_tokens), reports)


def _best(
    partial: Sequence[PartialAnswer],
    reports: Mapping[int, Community],
    budget: int,
    count: TokenCounter,
) -> list[PartialAnswer]:
    """Return the partial answers that fit, the most helpful first, without unknown reports."""
    kept: list[PartialAnswer] = []
    for answer in ranked(partial):
        numbers = tuple(number for number in answer.reports if number in reports)
        tokens = count(_line(answer))
        if numbers and tokens <= budget:
            kept.append(replace(answer, reports=numbers))
            budget -= tokens
    return kept


def _read(reply: str, behind: Mapping[int, Community], present: Present) -> Draft | None:
    written = _THINKING.sub("", reply)
    marker = FINAL_PATTERN.search(written)
    text = present(written[marker.end() if marker else 0 :], True)
    if opens_with_unknown(text) and _gives_no_answer(text):
        return Draft("map_reduce", reason="no_evidence", raw=reply)
    # A reply in neither form nor substance what was asked for is a refusal in other words.
    if _gives_no_answer(text) or not (marker or cited_numbers(written)):
        return None
    return _draft("map_reduce", text, behind, reply)


def _line(answer: PartialAnswer) -> str:
    return f"- (helpfulness {answer.helpfulness}) {answer.text} {reference_to(answer.reports)}"


def _presenter(behind: Collection[int]) -> Present:
    """Return what shows the answer, with references at its end where the model wrote none."""
    show = presenter(behind)

    def present(text: str, complete: bool) -> str:
        shown = show(text, complete)
        is_cited = not set(behind).isdisjoint(cited_numbers(shown))
        if not complete or is_cited or _gives_no_answer(shown):
            return shown
        return f"{shown}\n\n{reference_to([*behind][:_REFERENCES_ADDED])}"

    return present


def _gives_no_answer(text: str) -> bool:
    # "There is no single conflict ..." opens like an abstention, but refers to reports.
    return not text or _says_nothing(text) or (not cited_numbers(text) and is_abstention(text))


def _says_nothing(text: str) -> bool:
    """Return whether the first line is an abstention alone, whatever reports it refers to."""
    return is_unknown_alone(without_references(text.split("\n", 1)[0]))


def _joined(points: Sequence[PartialAnswer], reports: Mapping[int, Community]) -> Draft:
    if not points:
        return Draft("extractive", reason="no_evidence")
    lines = (f"- {point.text} {reference_to(point.reports)}" for point in points[:_JOINED_POINTS])
    return _draft("extractive", "\n".join(lines), reports)


def _draft(
    strategy: Strategy, text: str, reports: Mapping[int, Community], reply: str = ""
) -> Draft:
    return Draft(strategy, answers=(text,), reports=references_in(text, reports), raw=reply)
