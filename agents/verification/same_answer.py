"""Whether two answers are the same one, worded a little longer or shorter."""

from __future__ import annotations

from hoptrail.agents.language.number_words import in_digits
from hoptrail.core.text import contains_answer, normalize_answer

_LONGER = 8


def is_same_answer(one: str, other: str) -> bool:
    """Return whether two answers are equal but for case and articles, or one is part of the other.

    "Nine" is 9. A long sentence that has the other answer somewhere in it is another answer.
    """
    one, other = in_digits(one), in_digits(other)
    if normalize_answer(one) == normalize_answer(other):
        return True
    short, long = sorted((one, other), key=len)
    is_near = len(long.split()) <= len(short.split()) + _LONGER
    return bool(normalize_answer(short)) and is_near and contains_answer(long, short)
