"""Ask a model what a batch of community reports contributes to an answer (source 003, map)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hoptrail.agents.graphrag.partial_answer import PartialAnswer
from hoptrail.agents.graphrag.report_batches import lay_out_reports
from hoptrail.agents.graphrag.report_references import cited_numbers, without_references
from hoptrail.agents.graphrag.report_sentences import opening_sentences, summary_sentences
from hoptrail.core.budget import Meter
from hoptrail.core.embedding import Embed
from hoptrail.core.errors import ModelError
from hoptrail.core.question import particular_words
from hoptrail.core.text import clipped
from hoptrail.core.types import Community, Record
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.graphrag import HelpfulPoint, HelpfulPoints
from hoptrail.prompts.loader import load_prompt

MAX_MAP_TOKENS = 2048
MAX_POINTS = 8
_LONGEST_POINT = 1500
_SENTENCES = 2


@dataclass(frozen=True, slots=True)
class Mapped(Record):
    """A batch's partial answers; `degraded` where a model should have written them and did not."""

    answers: tuple[PartialAnswer, ...] = ()
    degraded: bool = False


async def map_communities(
    question: str,
    reports: Mapping[int, Community],
    model: RoleModel | None,
    meter: Meter,
    embed: Embed,
    *,
    budget: int,
    prompts_dir: Path | None = None,
) -> Mapped:
    """Return what the reports contribute, by one call of the role `reporter`.

    Points of helpfulness 0 and points that rest on no report of the batch are dropped. Whatever
    goes wrong with the model costs it this batch only: the reports' own findings take its place.

    Args:
        question: The standalone question.
        reports: The batch by number.
        model: None leaves it to the reports' findings.
        meter: Account of the call.
        embed: Unit vectors of texts, shape (n, dim).
        budget: Tokens that a report may take.
        prompts_dir: Folder of prompts that override the shipped ones.

    Raises:
        BudgetExceededError: If a model is given and no call is left.
    """
    if model is None:
        return await asyncio.to_thread(map_by_similarity, question, reports, embed)
    laid_out = lay_out_reports(reports, budget, await model.token_counter())
    messages = load_prompt("map_communities", prompts_dir).render(
        question=question, reports=laid_out
    )
    try:
        reply = await model.structured(
            messages, HelpfulPoints, meter=meter, max_tokens=MAX_MAP_TOKENS
        )
    except ModelError:
        found = await asyncio.to_thread(map_by_similarity, question, reports, embed)
        return replace(found, degraded=True)
    read = (_partial_answer(point, reports) for point in reply.points[:MAX_POINTS])
    return Mapped(tuple(answer for answer in read if answer is not None))


def map_by_similarity(question: str, reports: Mapping[int, Community], embed: Embed) -> Mapped:
    """Return each report's sentences that are nearest to the question, scored by similarity.

    To a question of no particular subject a report contributes how its summary begins, scored by
    its rating.
    """
    if not particular_words(question):
        begun = ((key, one, summary_sentences(one)) for key, one in reports.items())
        return Mapped(
            tuple(
                PartialAnswer(" ".join(summary[:_SENTENCES]), _rated(report), (number,))
                for number, report, summary in begun
                if summary
            )
        )
    told = [(number, text) for number, one in reports.items() for text in opening_sentences(one)]
    vectors = embed([question, *(text for _, text in told)])
    scores = np.round(100 * (vectors[1:] @ vectors[0])).astype(int).tolist()
    best: dict[int, list[PartialAnswer]] = {}
    for score, (number, text) in sorted(zip(scores, told, strict=True), key=lambda one: -one[0]):
        chosen = best.setdefault(number, [])
        if score > 0 and len(chosen) < _SENTENCES:
            chosen.append(PartialAnswer(text, min(score, 100), (number,)))
    return Mapped(tuple(answer for answers in best.values() for answer in answers))


def _rated(report: Community) -> int:
    return min(max(round(10 * report.rating), 1), 100)


def _partial_answer(point: HelpfulPoint, reports: Mapping[int, Community]) -> PartialAnswer | None:
    """Return a point with its score in range and the numbers that exist, or None."""
    text = clipped(without_references(point.text), _LONGEST_POINT)
    helpfulness = min(point.helpfulness, 100)
    given = point.reports or cited_numbers(point.text)
    numbers = tuple(number for number in dict.fromkeys(given) if number in reports)
    if not numbers and len(reports) == 1:
        numbers = tuple(reports)
    if not text or helpfulness <= 0 or not numbers:
        return None
    return PartialAnswer(text, helpfulness, numbers)
