"""Numbers that are written as words, in digits: "twenty-four" and "24" tell the same."""

from __future__ import annotations

import re

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = {word: number for number, word in enumerate(_UNITS)}
_VALUES |= {word: 10 * number for number, word in enumerate(_TENS, start=2)}
_NUMBER = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<more>{'|'.join(_UNITS[1:10])}))?"
    rf"|(?P<units>{'|'.join(_UNITS)}))\b",
    re.IGNORECASE,
)


def in_digits(text: str) -> str:
    """Return a text with its whole numbers below one hundred in digits."""
    return _NUMBER.sub(lambda found: str(_value(found)), text)


def _value(found: re.Match[str]) -> int:
    words = (found["tens"], found["more"], found["units"])
    return sum(_VALUES[word.lower()] for word in words if word)
