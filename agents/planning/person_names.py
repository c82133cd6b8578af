"""Tell by a question's wording whether what it names is a person: "she" is no river."""

from __future__ import annotations

import re

from hoptrail.agents.language.answer_types import type_of_noun

_DOES_AS_PERSON = (
    r"(?:born|baptised|baptized|buried|raised|educated|die|died|live|lives|lived|marry|married"
    r"|study|studied|retire|retired|grow\sup|grew\sup|work|works|worked)\b"
)
_PERSON_DOES = re.compile(rf"\s(?:[a-z]{{2,20}}ly\s)?{_DOES_AS_PERSON}", re.IGNORECASE)
_OF_A_PERSON = re.compile(
    rf"(?:(?!\s(?:and|but|or|when|where|who|that|which)\b)[^,;]){{0,200}}?\s{_DOES_AS_PERSON}",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\b(?:did|does|do|was|were|is|are|has|had|who|when|where)\s(?:the\s)?$", re.IGNORECASE
)
_ROLE = re.compile(r"who(?:\s(?:is|was|are|were)|['’]s)\s$", re.IGNORECASE)
_MADE = (
    r"(?:founded|built|released|published|written|directed|opened|sold|bought|made|composed"
    r"|designed|established|painted|produced|recorded|renovated)\b"
)
_MAKES_IT = re.compile(rf"\bwho\s(?:\w{{2,20}}ly\s)?(?:{_MADE}|wrote|owns|runs)\s$", re.IGNORECASE)
_IS_MADE = re.compile(rf"\s{_MADE}", re.IGNORECASE)
_PLACED = re.compile(r"\b(?:in|at|near|into)\s$", re.IGNORECASE)
_WITH_ARTICLE = re.compile(r"\bthe\s$", re.IGNORECASE)
_TITLES = frozenset(
    """baron baroness bishop count countess duchess duke earl emperor empress king lady lord marquis
    pope prince princess queen reverend sultan tsar""".split()
)


def is_person(question: str, start: int, end: int) -> bool:
    """Return whether the thing between two offsets is surely a person.

    So is "the engineer" in "Where was the engineer of the railway born?" and in "Who is the
    engineer?".
    """
    before, after = question[:start], question[end:]
    does = _SUBJECT.search(before) and _OF_A_PERSON.match(after)
    return bool(does or _ROLE.fullmatch(before))


def may_be_person(question: str, name: str) -> bool:
    """Return whether a name in a question may be a person's: not "the Red Lion", nor "in Varde"."""
    start = max(question.find(name), 0)
    before, after = question[:start], question[start + len(name) :]
    if _SUBJECT.search(before) and _PERSON_DOES.match(after):
        return True
    words = name.split()
    if _WITH_ARTICLE.search(before) and not _is_title(words[0]):
        return False
    kinds = {type_of_noun(words[0]), type_of_noun(words[-1])}
    is_made = _MAKES_IT.search(before) or _IS_MADE.match(after)
    return not (kinds & {"place", "organization"} or is_made or _PLACED.search(before))


def is_placed(question: str, name: str) -> bool:
    """Return whether a question tells that something is in, at or near a name."""
    return _PLACED.search(question[: max(question.find(name), 0)]) is not None


def _is_title(word: str) -> bool:
    return word.lower() in _TITLES or type_of_noun(word) == "person"
