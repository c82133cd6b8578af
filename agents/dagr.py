"""DAGR's decisions: the atomic sub-questions of a question (section 4.1), and what answers them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from hoptrail.agents.answering.reply_parser import parse_answers
from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.agents.language.mentions import KnownNames, find_mentions
from hoptrail.agents.language.question_steps import steps_from
from hoptrail.core.render import Rendered, passage_tokens
from hoptrail.core.text import contains_answer, flat
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.prompts.forms.planning import Decomposition

MAX_SUB_QUESTIONS = 6
_MAX_CHARACTERS = 500
_REFERENCE = re.compile(r"#(\d+)")

SLICE_TOKENS = 1_000
MOST_SLICES = 2
_STATING = 2

MAX_SOLUTION_TOKENS = 64


async def decompose(question: str, model: PromptedModel | None) -> tuple[str, ...]:
    """Return the sub-questions that lead to the answer, at least one and at most 6.

    They stand in their order; `#1` in one of them stands for the first one's answer.

    Args:
        question: The standalone question.
        model: Model of the role `decomposer`; without one the question is split by its clauses.
    """

    async def ask(model: PromptedModel) -> tuple[str, ...]:
        reply = await model.structured("decompose", Decomposition, question=question)
        usable = usable_sub_questions(reply.sub_questions)
        # A model that writes nothing of use may find nothing to take apart.
        model.meter.degraded |= not usable
        return usable or (question,)

    return await decide(model, ask, lambda: split_by_clauses(question))


def usable_sub_questions(written: Sequence[str]) -> tuple[str, ...]:
    """Return the sub-questions that can be asked in their order, references renumbered.

    Empty ones, repetitions, and those that refer to an answer which does not come before them are
    left out, with all that build on them.
    """
    kept: list[str] = []
    places: dict[int, int] = {}
    for number, raw in enumerate(written, start=1):
        text = flat(raw)
        needed = references(text)
        if not text or len(text) > _MAX_CHARACTERS or not needed <= places.keys():
            continue
        asked = _REFERENCE.sub(lambda match: f"#{places[int(match.group(1))]}", text)
        if asked not in kept:
            kept.append(asked)
        places[number] = kept.index(asked) + 1
    return tuple(kept[:MAX_SUB_QUESTIONS])


def references(sub_question: str) -> set[int]:
    """Return the numbers of the answers that a sub-question builds on."""
    return {int(number) for number in _REFERENCE.findall(sub_question)}


def fill_in(sub_question: str, asked: Sequence[str], answers: Sequence[str]) -> str:
    """Return the sub-question with earlier answers in place of its references.

    An answer that was not found is described by the sub-question that asked for it.

    Args:
        sub_question: May hold `#1` for the first answer and so on.
        asked: Earlier sub-questions as they were asked.
        answers: Their answers, empty where none was found.
    """

    def value(match: re.Match[str]) -> str:
        place = int(match.group(1)) - 1
        if not 0 <= place < len(asked):
            return match.group()
        return answers[place] or f"({asked[place].rstrip(' ?')})"

    return _REFERENCE.sub(value, sub_question)


def split_by_clauses(question: str) -> tuple[str, ...]:
    """Return the steps from the first name of a question outward, by its wording alone."""
    mentions = [found for found in find_mentions(question, KnownNames(())) if found.kind == "name"]
    if not mentions:
        return (question,)
    # The innermost clause stands last in English: the chain starts at the last name.
    anchor = mentions[-1]
    steps = steps_from(question, anchor, mentions[:-1])
    phrases = [steps[0].phrase(anchor.text)]
    phrases += [step.phrase(f"#{place}") for place, step in enumerate(steps[1:], start=1)]
    return tuple(phrases)


def slices(evidence: Evidence) -> list[Evidence]:
    """Return the evidence in parts that one prompt each shows, the best passages first.

    A sub-question is one look-up: its answer mostly stands in the first passages, and relations
    only repeat them. A graph without passages is one part.
    """
    if not evidence.chunks:
        return [evidence]
    parts: list[list[Hit[Chunk]]] = [[]]
    room = SLICE_TOKENS
    for hit in evidence.chunks:
        tokens = passage_tokens(hit.item)
        if tokens > room and parts[-1]:
            if len(parts) == MOST_SLICES:
                break
            parts.append([])
            room = SLICE_TOKENS
        parts[-1].append(hit)
        room -= tokens
    return [Evidence(chunks=tuple(part)) for part in parts]


def in_order_of_use(
    parts: Sequence[Evidence], answers: Sequence[str], read: Sequence[Sequence[str]]
) -> Evidence:
    """Return the union of the steps' evidence, the passages in the order of their use.

    First come the passages that state a step's answer, two for each; then those of the steps
    without an answer that no solver has read; then the rest.

    Args:
        parts: The evidence of each step.
        answers: Their answers, empty where none was found or asked for.
        read: The ids of the passages that each step's solver has read.
    """
    stating = [_stating(part, answer) for part, answer in zip(parts, answers, strict=True)]
    unread = [
        Evidence(chunks=tuple(hit for hit in part.chunks if hit.item.id not in seen))
        for part, answer, seen in zip(parts, answers, read, strict=True)
        if not answer
    ]
    everything = Evidence.interleave(parts)
    order = [*Evidence.interleave(stating).chunks, *Evidence.interleave(unread).chunks]
    order += everything.chunks
    kept: dict[str, Hit[Chunk]] = {}
    for hit in order:
        kept.setdefault(hit.item.id, hit)
    return Evidence(everything.entities, everything.relations, tuple(kept.values()))


def without_vain(ordered: Evidence, vain: Collection[str]) -> Evidence:
    """Return what the question's prompt shows where a step was not answered: one slice of it.

    Args:
        ordered: All evidence in the order of use.
        vain: Ids of the passages that a solver has read without finding the step's answer.
    """
    left = tuple(hit for hit in ordered.chunks if hit.item.id not in vain)
    return slices(replace(ordered, chunks=left))[0] if left else ordered


def _stating(part: Evidence, answer: str) -> Evidence:
    names = [name for name in answer.split("; ") if name]
    found = (
        hit
        for hit in part.chunks
        if any(contains_answer(hit.item.embedded_text, name) for name in names)
    )
    return Evidence(chunks=tuple(hit for _, hit in zip(range(_STATING), found, strict=False)))


async def solve(
    question: str, sub_question: str, step: int, rendered: Rendered, model: PromptedModel
) -> str:
    """Return the sub-question's answers joined by "; ", empty where the evidence lacks them.

    Args:
        question: The question that the step serves.
        sub_question: The step, earlier answers filled in.
        step: Its place among the sub-questions, from 0.
        rendered: The evidence for it.
        model: Model of the role `solver`.

    Raises:
        BudgetExceededError: If no call is left.
        ModelUnavailableError: If the model cannot be reached.
        ModelReplyError: If the reply has no text.
    """
    messages = model.prompts.load("solve").render(
        step, evidence=rendered.text, question=question, sub_question=sub_question
    )
    reply = await model.chat.reply(
        messages, meter=model.meter, temperature=0.0, max_tokens=MAX_SOLUTION_TOKENS
    )
    return "; ".join(parse_answers(reply))
