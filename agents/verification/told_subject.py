"""Doubts about whom a claim tells it of: a thing that it only names on the way is not told of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.capitalised_names import capitalised_spans
from hoptrail.agents.language.reserves import other_thing
from hoptrail.agents.language.sentence_grammar import SentenceGrammar
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.core.text import name_key
from hoptrail.core.types import TrailHop

_OF_WHOM = re.compile(
    r"\b(?:do|does|did|is|are|was|were|has|have|had|will|would|can|could)\s(?:the\s)?$",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"['’]")
_CLAUSE_OF_IT = re.compile(r"\b(?:which|who|whose|where|that)\b")
_PLACED = re.compile(r"\s(?:on|in|at|near|by|beside|behind|above|below|from|off)\s(?:the\s)?$")
_PRONOUN = re.compile(r"(?:he|she|it|they|this|that|these|those|we|i)", re.IGNORECASE)
_MOST_ADVERBS = 2


def of_other_subject(
    question: str, answers: Sequence[str], hops: Sequence[TrailHop], index: EvidenceIndex
) -> str | None:
    """Return that the last step tells its value of another thing, which it places by the asked one.

    "Aldbury lies on the River Teme and has 900 inhabitants" says nothing of how many the river has,
    nor does "Aldbury on the River Teme has 900".

    Args:
        question: The standalone question.
        answers: All answers.
        hops: The checked trail.
        index: The evidence, which knows other names of a thing.
    """
    last = hops[-1]
    asked = _asked_subject(question)
    if not asked or name_key(last.object) != name_key(answers[0]):
        return None
    if _PRONOUN.fullmatch(last.subject):
        return None
    teller = _placed(last.subject, asked) or _on_the_way(last, asked)
    if not teller:
        return None
    named = " ".join([teller, *index.aliases(teller)])
    if everyday_groups(named) & everyday_groups(question):
        return None
    return other_thing(f'"{teller}"', f'"{asked}"')


def _asked_subject(question: str) -> str:
    """Return the name that a question asks something of: "does the River Teme have", else ""."""
    for start, end in capitalised_spans(question):
        if _OF_WHOM.search(question[:start]) and not _POSSESSIVE.match(question, end):
            return question[start:end]
    return ""


def _placed(subject: str, asked: str) -> str:
    """Return "Aldbury" of "Aldbury on the River Teme", where the river is asked for, else ""."""
    at = subject.find(asked)
    place = _PLACED.search(subject[:at]) if at > 0 else None
    head = subject[: place.start()] if place else ""
    return head if capitalised_spans(f"of {head}") else ""


def _on_the_way(last: TrailHop, asked: str) -> str:
    """Return the subject of two verbs, where the first one alone leads to the asked name."""
    at = last.predicate.find(asked)
    if at < 0 or asked in last.subject:
        return ""
    behind = last.predicate[at + len(asked) :]
    claim = f"{last.subject} {last.predicate} {last.object}"
    offset = len(last.subject) + 1 + at + len(asked)
    if _CLAUSE_OF_IT.search(behind):
        return ""
    grammar = SentenceGrammar(claim)
    for place in grammar.tokens_in(offset, len(last.subject) + 1 + len(last.predicate)):
        if grammar.low(place) in {"and", "but"}:
            next_words = range(place + 1, place + 2 + _MOST_ADVERBS)
            if any(map(grammar.is_verb, (one for one in next_words if one < len(grammar.tokens)))):
                return last.subject
    return ""
