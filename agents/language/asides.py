"""Asides of a sentence, beside what it states: brackets, and other names of its subject."""

from __future__ import annotations

import re
from collections.abc import Sequence

CALLED_ALSO = (
    r"(?:\w{2,20}ly |also |better |best )?"
    r"(?:known|called|titled|entitled|nicknamed|abbreviated|stylised|stylized|released|referred to)"
    r"(?: in \w{2,20})?(?: by \w{2,20})?(?: as)?"
)
"""Pattern of the words that lead to another name: "also known as"."""
_BRACKETS = re.compile(r",?\s?\([^()]{0,300}\)")
_OTHER_NAME = re.compile(rf",\s{CALLED_ALSO}\s[^,;:.()]{{1,80}},", re.IGNORECASE)


def without_asides(text: str, kept: Sequence[tuple[int, int]]) -> str:
    """Return a text of the same length, its brackets and other names replaced by spaces.

    Args:
        text: A sentence.
        kept: Spans of characters; an aside that has a part of one stays.
    """
    for pattern in (_BRACKETS, _OTHER_NAME):
        for match in pattern.finditer(text):
            start, end = match.span()
            if not any(first < end and start < last for first, last in kept):
                text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text
