"""Take a question apart into atomic sub-questions (DAGR, section 4.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.agents.language.mentions import KnownNames, find_mentions
from hoptrail.agents.language.question_steps import steps_from
from hoptrail.prompts.forms.planning import Decomposition

MAX_SUB_QUESTIONS = 6
_MAX_CHARACTERS = 500
_REFERENCE = re.compile(r"#(\d+)")


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
        text = " ".join(raw.split())
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
