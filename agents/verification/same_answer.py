"""Whether two answers are the same one, worded a little longer or shorter."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose

from hoptrail.agents.language.number_words import in_digits
from hoptrail.agents.language.quantities import quantity_of
from hoptrail.core.text import contains_answer, normalize_answer

_LONGER = 8


def is_same_answer(one: str, other: str) -> bool:
    """Return whether two answers are equal but for case and articles, or one is part of the other.

    "Nine" is 9, and 95 min are 95 minutes. A long sentence that has the other answer somewhere in
    it is another answer.
    """
    one, other = in_digits(one), in_digits(other)
    if normalize_answer(one) == normalize_answer(other) or _is_same_amount(one, other):
        return True
    short, long = sorted((one, other), key=len)
    is_near = len(long.split()) <= len(short.split()) + _LONGER
    return bool(normalize_answer(short)) and is_near and contains_answer(long, short)


def are_same_answers(ones: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether each of some answers is one of others, and the other way round.

    A list may be written as one answer.
    """
    if ones and normalize_answer("; ".join(ones)) == normalize_answer("; ".join(others)):
        return True
    return len(ones) == len(others) and all(
        any(is_same_answer(one, other) for other in against)
        for these, against in ((ones, others), (others, ones))
        for one in these
    )


def _is_same_amount(one: str, other: str) -> bool:
    amount, same = quantity_of(one), quantity_of(other)
    if amount is None or same is None or amount.unit != same.unit:
        return False
    return isclose(amount.amount, same.amount)
