"""Why an answer is given with reserve, in one line that is true and plain."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.assertion import has_doubt
from hoptrail.agents.language.contractions import spelled_out
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
        return "the model answered from memory: no passage was read"
    reason = reserve_of_trail(hops) or _unfounded(answers)
    reason = reason or unjoined(hops, draft.answers, index, is_derived=is_derived)
    reason = reason or neither_of_two(question, draft.answers[0])
    if reason is None and not is_derived:
        reason = _doubtful(question, hops) or misfit(question, draft.answers[0], hops, index)
        reason = reason or no_doer(question, draft.answers[0], hops)
        reason = reason or overtaken(hops, draft.answers[0], index)
        if draft.reserve is not None or draft.strategy == "graph_search":
            reason = reason or _half(question, draft.answers)
            reason = reason or unasked_source(question, hops, draft.answers[0])
            reason = reason or namesake(question, hops)
            if reason is None and is_one_of_several(question, draft.answers, hops):
                reason = "the question asks for several, and one was found"
        if reason is None and draft.reserve is not None:
            reason = draft.reserve or lacks_steps(question, hops)
            reason = reason or unsaid_role(question, hops, index)
        elif reason is None and draft.strategy == "graph_search":
            is_text = bool(hops[-1].quote)
            reason = unsaid(question, hops, index) if is_text else untold(question, hops)
    if reason is None and draft.strategy == "short":
        # It gave no steps of its own: those that were looked for join by words, not by its reading.
        return "the model read it in the passages, and nothing else confirms it"
    return reason or draft.reserve or None


def reserve_of_trail(hops: Sequence[TrailHop]) -> str | None:
    """Return which steps of a trail are not wholly stated, None where all of them are."""
    if not hops:
        return "no passage was found that states it"
    unfounded = [hop.hop for hop in hops if hop.support == "none"]
    if unfounded:
        return f"no passage states {_steps(unfounded, len(hops))}"
    partly = [hop for hop in hops if hop.support == "partly"]
    if not partly:
        return None
    is_one = len({hop.chunk_id for hop in partly}) == 1
    told = "the passage does not" if is_one else "the passages do not"
    return f"{told} state {_steps([hop.hop for hop in partly], len(hops))} in so many words"


def _half(question: str, answers: Sequence[str]) -> str | None:
    """Return that one answer is given to two questions in one, None where that is not so."""
    if len(answers) > 1 or _SECOND_QUESTION.search(question) is None:
        return None
    return "this answers one half of the question"


def _doubtful(question: str, hops: Sequence[TrailHop]) -> str | None:
    """Return which step denies or doubts what the question takes for a fact, None where none."""
    if has_doubt(question):
        return None
    doubtful = next((hop.hop for hop in hops if has_doubt(hop.predicate)), None)
    if doubtful is None:
        return None
    told = f"step {doubtful}" if len(hops) > 1 else "the passage"
    return f"{told} denies it or leaves it open"


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
    unfounded = [answer.text for answer in answers if not answer.score]
    if not unfounded:
        return None
    if len(unfounded) == len(answers):
        return "no step of the trail names the answer"
    named = ", ".join(unfounded[:_MOST_LISTED])
    more = len(unfounded) - _MOST_LISTED
    return f"no step of the trail names {named}" + (f" and {more} more" if more > 0 else "")
