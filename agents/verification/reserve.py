"""Why an answer is given with reserve, in one line that is true and plain: the first doubt of all.

A doubt is a function of what was answered that returns its words, or None. `DOUBTS` lists them in
the order in which they are told; nothing else knows of any single one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.assertion import has_doubt, spelled_out
from hoptrail.agents.language.reserves import ASKED, PART, is_about_wording, unstated
from hoptrail.agents.verification import asked_property
from hoptrail.agents.verification.answer_kind import misfit, neither_of_two
from hoptrail.agents.verification.claimed import unclaimed
from hoptrail.agents.verification.joined_steps import unjoined
from hoptrail.agents.verification.misread import misread
from hoptrail.agents.verification.overtaken import namesake, overtaken
from hoptrail.agents.verification.rival import rival
from hoptrail.agents.verification.told_subject import of_other_subject
from hoptrail.core.language.detection import is_english
from hoptrail.core.names import part_handles
from hoptrail.core.types import AnswerCandidate, TrailHop
from hoptrail.core.types.draft import ANSWERS, STANDS_FOR, Draft

_MOST_LISTED = 3
# "Who wrote it, and who is also its editor?" asks of one person.
_SECOND_QUESTION = re.compile(
    r"\band\s(?:(?:for|in|on|at|by|to|from|with)\s)?(?:who|whom|what|when|where|how\s(?:much|many|long|old|far)|which|why)\b"
    r"(?!\s(?:is|was|were|are)\s(?:also|thus)\b)"
)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that a doubt looks at.

    `answers` are the checked ones, those that stand in the trail with a score above 0. `is_derived`
    is whether the answer follows from the trail rather than standing in it.
    """

    draft: Draft
    question: str
    hops: Sequence[TrailHop]
    answers: Sequence[AnswerCandidate]
    index: EvidenceIndex
    is_derived: bool

    @property
    def text(self) -> str:
        """The first answer."""
        return self.draft.answers[0]

    @property
    def was_read(self) -> bool:
        """Whether sentences were read for it, without a model."""
        return self.draft.reserve is not None

    @property
    def is_without_model(self) -> bool:
        """Whether no model has read the question, which words it in its own way."""
        return self.was_read or self.draft.strategy in {"graph_search", "tables"}

    @property
    def accounts_for_question(self) -> bool:
        """Whether who drafted it accounts for each word: a query, a text that asks the same."""
        return self.draft.strategy == "tables" or any(
            hop.predicate in {ANSWERS, STANDS_FOR} for hop in self.hops
        )

    @property
    def has_own_trail(self) -> bool:
        """Whether it stands in a trail, and is thus told by one of its steps."""
        return bool(self.hops) and not self.is_derived


class Doubt(Protocol):
    """Tells what speaks against giving an answer plainly."""

    def __call__(self, answered: Answered, /) -> str | None:
        """Return the doubt in words, None where there is none."""


def reserve_of(
    draft: Draft,
    question: str,
    hops: Sequence[TrailHop],
    answers: Sequence[AnswerCandidate],
    index: EvidenceIndex,
    *,
    is_derived: bool,
) -> str | None:
    """Return why an answer is no plain one, None where nothing speaks against it.

    Args:
        draft: The answer as it was drafted.
        question: The standalone question.
        hops: The checked trail.
        answers: The checked answers, those that stand in the trail with a score above 0.
        index: The evidence.
        is_derived: Whether the answer follows from the trail rather than standing in it.
    """
    if draft.abstained:
        return None
    question = part_handles(spelled_out(question), index.entity_id)
    answered = Answered(draft, question, hops, answers, index, is_derived)
    doubts = DOUBTS if is_english(question) else DOUBTS_IN_ANY_LANGUAGE
    told = next(filter(None, (doubt(answered) for doubt in doubts)), None)
    return None if told and draft.is_confirmed and is_about_wording(told) else told


def reserve_of_trail(hops: Sequence[TrailHop]) -> str | None:
    """Return which steps of a trail are not wholly stated, None where all of them are."""
    open_ones = [hop.hop for hop in hops if hop.support != "stated"]
    if hops and not open_ones:
        return None
    return unstated(_steps(open_ones, len(hops)) if open_ones else "it")


def _of_memory(answered: Answered) -> str | None:
    return unstated() if answered.draft.strategy == "closed_book" else None


def _neither_side(answered: Answered) -> str | None:
    return neither_of_two(answered.question, answered.text)


def _other_kind(answered: Answered) -> str | None:
    if not answered.has_own_trail or answered.accounts_for_question and not answered.draft.reserve:
        return None
    return misfit(answered.question, answered.text, answered.hops, answered.index)


def _other_thing(answered: Answered) -> str | None:
    if not answered.has_own_trail or not answered.is_without_model:
        return None
    return namesake(answered.question, answered.hops)


def _other_subject(answered: Answered) -> str | None:
    if not answered.has_own_trail or answered.accounts_for_question:
        return None
    return of_other_subject(
        answered.question, answered.draft.answers, answered.hops, answered.index
    )


def _overtaken(answered: Answered) -> str | None:
    if not answered.has_own_trail:
        return None
    return overtaken(answered.question, answered.hops, answered.text, answered.index)


def _misread(answered: Answered) -> str | None:
    return misread(answered.hops, answered.draft.answers)


def _drafted(answered: Answered) -> str | None:
    """Return the doubt of whoever drafted it; one about the wording alone waits for the others."""
    reserve = answered.draft.reserve
    return reserve if reserve and not is_about_wording(reserve) else None


def _unstated_step(answered: Answered) -> str | None:
    return reserve_of_trail(answered.hops)


def _unfounded(answered: Answered) -> str | None:
    """Return which answers no step of the trail has, None where each stands in one."""
    unfounded = [answer.text for answer in answered.answers if not answer.score]
    if not unfounded:
        return None
    if len(unfounded) == len(answered.answers):
        return unstated()
    more = len(unfounded) - _MOST_LISTED
    named = ", ".join(unfounded[:_MOST_LISTED])
    return unstated(named + (f" and {more} more" if more > 0 else ""))


def _unjoined_steps(answered: Answered) -> str | None:
    return unjoined(
        answered.hops, answered.draft.answers, answered.index, is_derived=answered.is_derived
    )


def _denied_fact(answered: Answered) -> str | None:
    """Return that a step denies or doubts what the question takes for a fact."""
    if answered.is_derived or has_doubt(answered.question):
        return None
    is_doubtful = any(has_doubt(hop.predicate) for hop in answered.hops)
    return unstated("it as a fact") if is_doubtful else None


def _one_half(answered: Answered) -> str | None:
    """Return that a question asks for more than the answer to one half of it, or one of several."""
    if answered.is_derived or not answered.is_without_model:
        return None
    question, answers = answered.question, answered.draft.answers
    is_half = len(answers) == 1 and _SECOND_QUESTION.search(question) is not None
    if answered.accounts_for_question:  # a query gives one column, a text that asks alike all
        return PART if is_half and answered.draft.strategy == "tables" else None
    is_one = asked_property.is_one_of_several(question, answers, answered.hops)
    return PART if is_half or is_one else None


def _strayed(answered: Answered) -> str | None:
    is_chain = len(answered.draft.answers) == 1 and answered.is_without_model
    if answered.is_derived or answered.accounts_for_question or not is_chain:
        return None
    return asked_property.strays(answered.question, answered.hops)


def _lacking_steps(answered: Answered) -> str | None:
    if answered.is_derived or answered.accounts_for_question or not answered.was_read:
        return None
    return answered.draft.reserve or asked_property.lacks_steps(answered.question, answered.hops)


def _unclaimed(answered: Answered) -> str | None:
    if answered.is_derived or answered.accounts_for_question or not answered.was_read:
        return None
    return unclaimed(answered.question, answered.text, answered.hops, answered.index)


def _rival(answered: Answered) -> str | None:
    if answered.is_derived or answered.accounts_for_question or not answered.is_without_model:
        return None
    return rival(answered.question, answered.draft.answers, answered.hops[-1])


def _unsaid_property(answered: Answered) -> str | None:
    """Return what of a question a chain of facts does not tell: it was found by likeness."""
    is_chain = answered.draft.strategy == "graph_search" and not answered.was_read
    if answered.is_derived or not is_chain:
        return None
    if answered.hops[-1].quote:
        return asked_property.unsaid(answered.question, answered.hops, answered.index)
    return asked_property.untold(answered.question, answered.hops)


def _single_reading(answered: Answered) -> str | None:
    """Return that a small model gave no steps: those looked for join by words, not by reading."""
    return unstated(ASKED) if answered.draft.strategy == "short" else None


def _worded_otherwise(answered: Answered) -> str | None:
    return answered.draft.reserve or None


DOUBTS: tuple[Doubt, ...] = (
    _of_memory,
    _neither_side,
    _other_kind,
    _other_thing,
    _other_subject,
    _overtaken,
    _misread,
    _drafted,
    _unstated_step,
    _unfounded,
    _unjoined_steps,
    _denied_fact,
    _one_half,
    _strayed,
    _lacking_steps,
    _unclaimed,
    _unsaid_property,
    _rival,
    _single_reading,
    _worded_otherwise,
)
"""In this order: another kind, another thing, another text, then steps, then wording."""

DOUBTS_IN_ANY_LANGUAGE: tuple[Doubt, ...] = (
    _of_memory,
    _drafted,
    _unstated_step,
    _unfounded,
    _unjoined_steps,
    _single_reading,
    _worded_otherwise,
)
"""Those that do not read the words of the question."""


def _steps(numbers: Sequence[int], total: int) -> str:
    if total == 1:
        return "it"
    if len(numbers) > _MOST_LISTED:
        if len(numbers) == total:
            return f"any of the {total} steps"
        return f"{len(numbers)} of the {total} steps"
    if len(numbers) == 1:
        return f"step {numbers[0]}"
    return f"steps {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
