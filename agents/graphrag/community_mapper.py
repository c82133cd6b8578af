"""Deal out community reports, and ask a model what each batch contributes to an answer.

The map step of Edge et al., "From Local to Global", 2024.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.agents.graphrag.extractive_answerer import opening_sentences, summary_sentences
from hoptrail.agents.graphrag.report_references import cited_numbers, without_references
from hoptrail.core.embedding import Embed
from hoptrail.core.question import particular_words
from hoptrail.core.render import report_block
from hoptrail.core.text import clipped
from hoptrail.core.tokens import TokenCounter, estimate_tokens
from hoptrail.core.types import Community, Record
from hoptrail.prompts.forms.graphrag import HelpfulPoint, HelpfulPoints

MAX_MAP_TOKENS = 2048
MAX_POINTS = 8
_LONGEST_POINT = 1500
_SENTENCES = 2


def batch_reports(
    reports: Sequence[Community],
    budget: int,
    *,
    seed: int,
    count: TokenCounter = estimate_tokens,
) -> list[dict[int, Community]]:
    """Return the reports by their number (from 1) in batches that fit the budget.

    They are dealt out in shuffled order, so that no batch holds one subject alone (Edge et al.,
    "From local to global", 2024, section 3.1.6), each to the batch with the most room, so that none
    is nearly empty; within a batch the numbers rise.

    Args:
        reports: Report i bears the number i + 1.
        budget: Tokens of a batch; a report that is longer has a batch to itself.
        seed: Of the shuffled order.
        count: Token counter of the model that will read them.
    """
    tokens = {
        number: count(numbered_report(number, report, budget, count))
        for number, report in enumerate(reports, 1)
    }
    numbers = list(tokens)
    Random(seed).shuffle(numbers)
    batches: list[list[int]] | None = None
    size = -(-sum(tokens.values()) // budget)
    while batches is None:
        batches = _dealt(numbers, tokens, size, budget)
        size += 1
    return [{number: reports[number - 1] for number in sorted(batch)} for batch in batches if batch]


def lay_out_reports(
    batch: Mapping[int, Community], budget: int, count: TokenCounter = estimate_tokens
) -> str:
    """Return a batch as the text of a prompt; no report takes more than the budget."""
    return "\n\n".join(
        numbered_report(number, report, budget, count) for number, report in batch.items()
    )


def numbered_report(
    number: int, report: Community, budget: int, count: TokenCounter = estimate_tokens
) -> str:
    """Return a report under its number."""
    return f"[{number}] {report_block(report, budget, count).removeprefix('- ')}"


def _dealt(
    numbers: Sequence[int], tokens: Mapping[int, int], size: int, budget: int
) -> list[list[int]] | None:
    """Return the numbers in batches, each put where most room is; None where one does not fit."""
    batches: list[list[int]] = [[] for _ in range(size)]
    room = [budget] * size
    for number in numbers:
        place = max(range(size), key=room.__getitem__)
        if batches[place] and tokens[number] > room[place]:
            return None
        batches[place].append(number)
        room[place] -= tokens[number]
    return batches


async def map_communities(
    question: str,
    reports: Mapping[int, Community],
    model: PromptedModel | None,
    embed: Embed,
    *,
    budget: int,
) -> tuple[PartialAnswer, ...]:
    """Return what the reports contribute, by one call of the role `reporter`.

    Points of helpfulness 0 and points that rest on no report of the batch are dropped. Whatever
    goes wrong with the model costs it this batch only: the reports' own findings take its place.

    Args:
        question: The standalone question.
        reports: The batch by number.
        model: None leaves it to the reports' findings.
        embed: Unit vectors of texts, shape (n, dim).
        budget: Tokens that a report may take.
    """

    async def ask(model: PromptedModel) -> tuple[PartialAnswer, ...]:
        laid_out = lay_out_reports(reports, budget, await model.chat.token_counter())
        reply = await model.structured(
            "map_communities",
            HelpfulPoints,
            MAX_MAP_TOKENS,
            question=question,
            reports=laid_out,
        )
        answers = (_partial_answer(point, reports) for point in reply.points[:MAX_POINTS])
        return tuple(answer for answer in answers if answer is not None)

    return await decide(model, ask, lambda: map_by_similarity(question, reports, embed))


def map_by_similarity(
    question: str, reports: Mapping[int, Community], embed: Embed
) -> tuple[PartialAnswer, ...]:
    """Return each report's sentences that are nearest to the question, scored by similarity.

    To a question of no particular subject a report contributes how its summary begins, scored by
    its rating.
    """
    if not particular_words(question):
        summaries = ((key, one, summary_sentences(one)) for key, one in reports.items())
        return tuple(
            PartialAnswer(" ".join(summary[:_SENTENCES]), _rated(report), (number,))
            for number, report, summary in summaries
            if summary
        )
    texts = [(number, text) for number, one in reports.items() for text in opening_sentences(one)]
    vectors = embed([question, *(text for _, text in texts)])
    scores = np.round(100 * (vectors[1:] @ vectors[0])).astype(int).tolist()
    best: dict[int, list[PartialAnswer]] = {}
    for score, (number, text) in sorted(zip(scores, texts, strict=True), key=lambda one: -one[0]):
        chosen = best.setdefault(number, [])
        if score > 0 and len(chosen) < _SENTENCES:
            chosen.append(PartialAnswer(text, min(score, 100), (number,)))
    return tuple(answer for answers in best.values() for answer in answers)


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


@dataclass(frozen=True, slots=True)
class PartialAnswer(Record):
    """One claim, how helpful it is (1 to 100), and the numbers of the reports it rests on."""

    text: str
    helpfulness: int
    reports: tuple[int, ...]


def ranked(answers: Sequence[PartialAnswer]) -> list[PartialAnswer]:
    """Return the claims, the most helpful first, each text once, whatever order they came in."""
    best: dict[str, PartialAnswer] = {}
    for answer in sorted(answers, key=lambda one: (-one.helpfulness, one.reports, one.text)):
        best.setdefault(answer.text, answer)
    return list(best.values())
