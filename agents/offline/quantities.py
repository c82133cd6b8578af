"""Read dates and numbers as values that can be compared."""

from __future__ import annotations

import re

from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.value_patterns import DECIMAL_COMMA

_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_DIGITS = re.compile(rf"(?P<comma>{DECIMAL_COMMA})|\d[\d,]{{0,20}}(?:\.\d{{1,15}})?")
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}


def value_of(mention: Mention) -> tuple[float, ...] | None:
    """Return a date as (year, month, day) with 0 for what is missing, a number as (number,).

    None where the mention is neither, or is written in words.
    """
    if mention.kind == "number":
        return _number(mention.text)
    return _date(mention.text) if mention.kind == "date" else None


def _number(text: str) -> tuple[float] | None:
    match = _DIGITS.search(text)
    if match is None:
        return None
    scale = next((factor for word, factor in _SCALES.items() if word in text.lower()), 1.0)
    decimal_comma = match["comma"]
    digits = match.group().replace(".", "") if decimal_comma else match.group()
    plain = digits.replace(",", "." if decimal_comma else "")
    return (float(plain) * scale,)


def _date(text: str) -> tuple[float, float, float] | None:
    year = re.search(r"\b\d{3,4}(?:s\b|\b)", text)
    if year is None:
        return None
    month = next((n for n, name in enumerate(_MONTHS, 1) if name in text.lower()), 0)
    day = re.search(r"\b\d{1,2}(?=\D|$)", text.replace(year.group(), ""))
    return (float(year.group().rstrip("s")), float(month), float(day.group()) if day else 0.0)
