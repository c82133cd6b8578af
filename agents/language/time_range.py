"""The two ends of a stretch of time: "from 1 April to 31 March"."""

from __future__ import annotations

import re

_FROM = re.compile(r"\b(?:from|between|since)\s(?:the\s)?$", re.IGNORECASE)
_TO = re.compile(r"\s?(?:to|until|till|and|–|-)\s", re.IGNORECASE)
_BEFORE_END = re.compile(r"\b(?:to|until|till|through)\s(?:the\s)?$", re.IGNORECASE)
_ASKS_FOR_END = re.compile(
    r"\b(?:ends?|ended|finish(?:es|ed)?|expires?|expired|runs?\sout|until\swhen|till\swhen|stops?|over)\b",
    re.IGNORECASE,
)
_ASKS_FOR_BEGINNING = re.compile(
    r"\b(?:starts?|started|begins?|began|commences?|since\swhen|from\swhen)\b", re.IGNORECASE
)


def is_other_end(question: str, text: str, start: int, end: int) -> bool:
    """Return whether a day is the end of a stretch that a question does not ask for.

    Args:
        question: The question.
        text: The sentence that has the day.
        start: Where the day begins.
        end: Where it ends.
    """
    before, behind = text[max(0, start - 30) : start], text[end : end + 10]
    if _FROM.search(before) and _TO.match(behind):
        return _ASKS_FOR_END.search(question) is not None
    if _BEFORE_END.search(before):
        return _ASKS_FOR_BEGINNING.search(question) is not None
    return False
