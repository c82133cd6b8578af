"""Words before a role that make it another one: the vice-chair is not the chair."""

from __future__ import annotations

import re

_RANKED = re.compile(
    r"(?<!\w)(?P<rank>vice|deputy|assistant|associate|acting|interim|honorary|former|previous|ex)[\s-]"
    r"(?P<role>[a-z]{3,30})",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"\W{0,3}how\smany\b", re.IGNORECASE)
# "The former name" is no role.
_OF_THINGS = frozenset({"former", "previous", "ex", "associate"})
_ROLE = re.compile(
    r"\W{0,3}[Ww]ho\s(?:is|was|are|were)\s(?:now\s|currently\s)?(?:the|our|your|their|its|[A-Z]\S{1,30}['’]s)\s"
    r"(?P<role>[a-z][\w-]{2,30}(?:\s(?!of\b|for\b|at\b|in\b)[a-z][\w-]{2,30}){0,2})",
)


def is_of_other_rank(question: str, told: str) -> bool:
    """Return whether a text tells a role of another rank than a question asks for.

    Args:
        question: The question.
        told: The words that answer it.
    """
    role = _ROLE.match(question)
    if _COUNTS.match(question):  # honorary members are counted, not named
        return False
    asked = {one for one in _ranked_in(question) if role or one[1] not in _OF_THINGS}
    if asked:
        return not asked <= set(_ranked_in(told))
    if role is None:
        return False
    noun = role["role"].split()[-1].lower()
    held = len(re.findall(rf"(?<!\w){re.escape(noun)}(?!\w)", told, re.IGNORECASE))
    return 0 < held <= sum(one == noun for one, _ in _ranked_in(told))


def _ranked_in(text: str) -> list[tuple[str, str]]:
    """Return each role of a text with the word of rank before it."""
    return [(one["role"].lower(), one["rank"].lower()) for one in _RANKED.finditer(text)]
