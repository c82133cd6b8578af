"""Long answers cut by whole sentences, so that a judge can read both."""

from __future__ import annotations

import re

from hoptrail.core.text import sentence_spans
from hoptrail.core.tokens import TokenCounter

CUT_MARK = "[...]"
_WORD_END = re.compile(r"\S(?=\s|$)")
_LINE_END = re.compile(r"\n")


def shorten(text: str, budget: int, count: TokenCounter) -> str:
    """Return the text, or as many of its first sentences as fit and a mark that it was cut.

    A list without full stops is cut between lines, a first sentence over the budget between words.

    Args:
        text: An answer.
        budget: Tokens that it may take, the mark not counted.
        count: Token counter.
    """
    text = text.strip()
    if count(text) <= budget:
        return text
    sentence_ends = [end for _, end in sentence_spans(text)]
    line_ends = [match.start() for match in _LINE_END.finditer(text)]
    word_ends = [match.end() for match in _WORD_END.finditer(text)]
    for ends in (sorted({*sentence_ends, *line_ends}), word_ends):
        kept = _longest_prefix(text, ends, budget, count)
        if kept:
            return f"{kept} {CUT_MARK}"
    return CUT_MARK


def _longest_prefix(text: str, ends: list[int], budget: int, count: TokenCounter) -> str:
    """Return the longest prefix at one of the sorted ends that fits; counts grow with length."""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if count(text[: ends[middle]]) <= budget:
            low = middle + 1
        else:
            high = middle
    return text[: ends[low - 1]].rstrip() if low else ""
