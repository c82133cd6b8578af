"""Numbers that are written as words, in digits: "twenty-four" and "24" tell the same."""

from __future__ import annotations

import re

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBER_WORDS = {word: number for number, word in enumerate(_UNITS)} | {
    word: 10 * number for number, word in enumerate(_TENS, start=2)
}
"""The words of which whole numbers below one hundred are made, with their values."""

# "One" alone is seldom a number: "no one", "the one that".
_NUMBER = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<more>{'|'.join(_UNITS[1:10])}))?"
    rf"|(?P<units>{'|'.join([_UNITS[0], *_UNITS[2:]])}))\b",
    re.IGNORECASE,
)
_LARGE = re.compile(r"\b(?:hundred|thousand|million|billion|dozen|score)s?\b", re.IGNORECASE)


def in_digits(text: str) -> str:
    """Return a text with its whole numbers of 2 to 99 in digits; one of larger ones stays."""
    if _LARGE.search(text):
        return text
    return _NUMBER.sub(lambda found: str(_value(found)), text)


def _value(found: re.Match[str]) -> int:
    words = (found["tens"], found["more"], found["units"])
    return sum(NUMBER_WORDS[word.lower()] for word in words if word)
