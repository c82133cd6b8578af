"""Answer a question that a text asks itself by the paragraph below it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.answered_questions import AnsweredQuestion, answered_questions
from hoptrail.agents.language.assertion import has_doubt
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.reserves import ASKED, other_text, unstated
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.agents.offline.evidence_view import EvidenceView
from hoptrail.core.language.detection import is_english
from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk
from hoptrail.core.types.draft import ANSWERS, Draft, HopClaim

_ALIKE = 0.75
"""Cosine of two questions that may ask the same where the words agree too."""
_SAME = 0.85
"""Cosine of two questions that may ask the same in other words."""
_OPENS = re.compile(
    r"\W{0,3}(?:and\s)?(?P<opens>how\s(?:much|many|long|far|old|often|big|high|late|soon)|how|why"
    r"|when|where|whose|whom?|what|which)\b",
    re.IGNORECASE,
)


def find_asked(question: str, view: EvidenceView) -> Draft | None:
    """Return the answer that stands below the same question, in the same words, None without one.

    In English small words may differ: "How can one join the club?" is asked by "How do I join the
    club?". In another language none may.

    Args:
        question: The standalone question.
        view: The evidence.
    """
    same = (found for found in _asked_in(view) if _is_same(question, found[1]))
    return _draft(same, "")


def find_asked_alike(question: str, view: EvidenceView) -> Draft | None:
    """Return what stands below a question in other words, with reserve, None without one.

    It asks for the same kind of thing and has all names. What else is asked must be told there, or
    the questions be so alike that another word means the same.

    Args:
        question: The standalone question.
        view: The evidence.
    """
    groups, names = everyday_groups(question), everyday_groups(" ".join(proper_names(question)))
    kind = focus_of(question).answer_type

    def likeness(one: AnsweredQuestion) -> float:
        asked = everyday_groups(one.question)
        told = asked | everyday_groups(one.answer)
        kinds = {kind, focus_of(one.question).answer_type} - {"other"}
        if len(kinds) > 1 or not groups & asked or not names <= told:
            return 0.0
        if has_doubt(question) != has_doubt(one.question):
            return 0.0
        cosine = view.similarity.to(question, [one.question])[0]
        return cosine if cosine >= (_ALIKE if groups <= told else _SAME) else 0.0

    rated = ((likeness(one), chunk, one) for chunk, one in _asked_in(view))
    best = max(rated, key=lambda found: found[0], default=None)
    found = [best[1:]] if best is not None and best[0] > 0 else []
    return _draft(iter(found), unstated(ASKED))


def _asked_in(view: EvidenceView) -> Iterator[tuple[Chunk, AnsweredQuestion]]:
    for chunk in view.passages:
        yield from ((chunk, one) for one in answered_questions(chunk.text))


def _is_same(question: str, one: AnsweredQuestion) -> bool:
    if name_key(question) == name_key(one.question):
        return True
    return is_english(question) and (
        everyday_groups(question) == everyday_groups(one.question)
        and _opening(question) == _opening(one.question)
        and has_doubt(question) == has_doubt(one.question)
    )


def _opening(question: str) -> str:
    """Return the word that says what is asked for, empty where yes or no is."""
    opens = _OPENS.match(question)
    return " ".join(opens["opens"].lower().split()) if opens else ""


def _draft(found: Iterator[tuple[Chunk, AnsweredQuestion]], reserve: str) -> Draft | None:
    """Return the first answer; another one that differs is told."""
    first = next(found, None)
    if first is None:
        return None
    chunk, asked = first
    for other, again in found:
        if name_key(again.answer) != name_key(asked.answer):
            reserve = reserve or other_text(f'"{again.answer}"', f'"{other.title}"')
    claim = HopClaim(asked.question, ANSWERS, asked.answer, chunk.id)
    return Draft("graph_search", (asked.answer,), hops=(claim,), reserve=reserve)
