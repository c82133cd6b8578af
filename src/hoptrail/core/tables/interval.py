"""Intervals that heads and cells name: "6-9 m", "up to 10", "over 12 m"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import inf

_NUMBER = r"(\d{1,7}(?:[.,]\d{1,3})?)"
_UNIT = r"\s?(?P<unit>[^\W\d_]{1,10}|%|€|£|\$)?"
_TO = r"to|up to|under|below|less than|until|bis|<|≤|max\.?"
_FROM = r"over|above|more than|from|ab|über|>|≥|min\.?"
_FORMS = (
    (re.compile(rf"{_NUMBER}\s?(?:-|–|to|bis)\s?{_NUMBER}{_UNIT}", re.IGNORECASE), "both"),
    (re.compile(rf"(?:{_TO})\s?{_NUMBER}{_UNIT}", re.IGNORECASE), "high"),
    (re.compile(rf"(?:{_FROM})\s?{_NUMBER}{_UNIT}", re.IGNORECASE), "low"),
    (re.compile(rf"{_NUMBER}\s?{_UNIT}\s?(?:and over|and more|or more|\+)", re.I), "low"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers above `low`, up to `high`, in a unit that may be left out."""

    low: float
    high: float
    unit: str

    def holds(self, number: float) -> bool:
        """Return whether a number lies in it; where two meet it is the lower one's."""
        return self.low < number <= self.high or self.low == number == 0


@lru_cache(maxsize=8192)
def interval_of(text: str) -> Interval | None:
    """Return the interval that a whole text names, None for any other text."""
    for pattern, form in _FORMS:
        match = pattern.fullmatch(text.strip())
        if match is None:
            continue
        numbers = [float(one.replace(",", ".")) for one in match.groups()[:-1] if one]
        unit = (match["unit"] or "").lower()
        if form == "both":
            return Interval(numbers[0], numbers[1], unit)
        return (
            Interval(-inf, numbers[0], unit) if form == "high" else Interval(numbers[0], inf, unit)
        )
    return None
