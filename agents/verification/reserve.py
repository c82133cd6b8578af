"""Why an answer is given with reserve, in one line that is true and plain."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.assertion import has_doubt
from hoptrail.agents.language.contractions import spelled_out
from hoptrail.agents.language.reserves import ASKED, PART, is_about_wording, unstated
from hoptrail.agents.verification.answer_kind import misfit, neither_of_two
from hoptrail.agents.verification.asked_property import (
    is_one_of_several,
    lacks_steps,
    unasked_source,
    unsaid,
    unsaid_role,
    untold,
)
from hoptrail.agents.verification.asked_role import no_doer
from hoptrail.agents.verification.claimed import unclaimed
from hoptrail.agents.verification.joined_steps import unjoined
from hoptrail.agents.verification.overtaken import namesake, overtaken
from hoptrail.core.handles import part_handles
from hoptrail.core.types import AnswerCandidate, TrailHop
from hoptrail.core.types.draft import Draft

_MOST_LISTED = 3
# "Who wrote it, and who is also its editor?" asks of one person.
_SECOND_QUESTION = re.compile(
    r"\band\s(?:who|whom|what|when|where|how\s(?:much|many|long|old|far)|which|why)\s"
    r"(?!(?:is|was|were|are)\s(?:also|thus)\b)"
)


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

    An answer is plain where every step of its trail is stated, it stands in the trail, and it is of
    the kind that is asked for. One that was found without a model must also be about the property
    that the question names: a model has read the question, and words it in its own way.

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
    if draft.strategy == "closed_book":
        return unstated()
    reason = neither_of_two(question, draft.answers[0])
    if not is_derived:
        reason = reason or _of_something_else(draft, question, hops, index)
    if draft.reserve and not is_about_wording(draft.reserve):
        reason = reason or draft.reserve
    reason = reason or reserve_of_trail(hops) or _unfounded(answers)
    reason = reason or unjoined(hops, draft.answers, index, is_derived=is_derived)
    if reason is None and not is_derived:
        reason = _of_a_part(draft, question, hops) or _in_other_words(draft, question, hops, index)
    if draft.strategy == "short":
        # It gave no steps of its own: those that were looked for join by words, not by its reading.
        reason = reason or unstated(ASKED)
    return reason or draft.reserve or None


def _of_something_else(
    draft: Draft, question: str, hops: Sequence[TrailHop], index: EvidenceIndex
) -> str | None:
    """Return that an answer is of another kind, of another thing, or that a later text differs."""
    if not hops:
        return None
    answer = draft.answers[0]
    reason = misfit(question, answer, hops, index) or no_doer(question, answer, hops)
    if _is_without_model(draft):
        reason = reason or namesake(question, hops)
    return reason or overtaken(question, hops, answer, index)


def _of_a_part(draft: Draft, question: str, hops: Sequence[TrailHop]) -> str | None:
    """Return that an answer is one half or one of several, or that a step leaves it open."""
    if _is_doubtful(question, hops):
        return unstated("it as a fact")
    if not _is_without_model(draft):
        return None
    is_half = len(draft.answers) == 1 and _SECOND_QUESTION.search(question) is not None
    if is_half or is_one_of_several(question, draft.answers, hops):
        return PART
    return unasked_source(question, hops, draft.answers[0])


def _in_other_words(
    draft: Draft, question: str, hops: Sequence[TrailHop], index: EvidenceIndex
) -> str | None:
    """Return what of a question the trail of an answer without a model does not tell."""
    if draft.reserve is not None:
        reason = draft.reserve or lacks_steps(question, hops)
        reason = reason or unsaid_role(question, hops, index)
        return reason or unclaimed(question, draft.answers[0], hops, index)
    if draft.strategy == "graph_search":
        return unsaid(question, hops, index) if hops[-1].quote else untold(question, hops)
    return None


def _is_without_model(draft: Draft) -> bool:
    return draft.reserve is not None or draft.strategy == "graph_search"


def reserve_of_trail(hops: Sequence[TrailHop]) -> str | None:
    """Return which steps of a trail are not wholly stated, None where all of them are."""
    open_ones = [hop.hop for hop in hops if hop.support != "stated"]
    if hops and not open_ones:
        return None
    return unstated(_steps(open_ones, len(hops)) if open_ones else "it")


def _is_doubtful(question: str, hops: Sequence[TrailHop]) -> bool:
    """Return whether a step denies or doubts what the question takes for a fact."""
    return not has_doubt(question) and any(has_doubt(hop.predicate) for hop in hops)


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


def _unfounded(answers: Sequence[AnswerCandidate]) -> str | None:
    """Return which answers no step of the trail has, None where each stands in one."""
    unfounded = [answer.text for answer in answers if not answer.score]
    if not unfounded:
        return None
    if len(unfounded) == len(answers):
        return unstated()
    more = len(unfounded) - _MOST_LISTED
    named = ", ".join(unfounded[:_MOST_LISTED])
    return unstated(named + (f" and {more} more" if more > 0 else ""))
