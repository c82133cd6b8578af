"""The day that a text names in relation to the day it was written on: "yesterday", "on Monday"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from hoptrail.agents.language.calendar_words import WEEKDAYS

_DAYS_FROM_NOW = {
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0,
    "yesterday": -1, "last night": -1, "tomorrow": 1,
    "the day after tomorrow": 2, "the day before yesterday": -2,
}  # fmt: skip
_NEAR = re.compile(
    rf"\b(?:{'|'.join(sorted(_DAYS_FROM_NOW, key=len, reverse=True))})\b", re.IGNORECASE
)
_WEEKDAY = re.compile(rf"\b(?:(?P<which>last|next|this|on|by)\s)?(?P<day>{WEEKDAYS})\b", re.I)
_NAMES = tuple(name.lower() for name in WEEKDAYS.split("|"))
_WEEK = 7


@dataclass(frozen=True, slots=True)
class NamedDay:
    """A day, and the characters of the text that name it.

    `is_sure` is whether it can be no other: "on Monday" may be the one before or the one to come.
    """

    day: date
    start: int
    end: int
    is_sure: bool = False


def named_day(written: date, text: str) -> NamedDay | None:
    """Return the first day that a text names in relation to the day it was written on, if any."""
    if near := _NEAR.search(text):
        day = written + timedelta(days=_DAYS_FROM_NOW[near.group().lower()])
        return NamedDay(day, near.start(), near.end(), is_sure=True)
    named = _WEEKDAY.search(text)
    if named is None:
        return None
    ahead = (_NAMES.index(named["day"].lower()) - written.weekday()) % _WEEK
    if (named["which"] or "").lower() == "last":
        day = written + timedelta(days=ahead - _WEEK)
        return NamedDay(day, named.start(), named.end(), is_sure=True)
    is_later = (named["which"] or "").lower() == "next" and 0 < ahead < _WEEK - written.weekday()
    day = written + timedelta(days=ahead + _WEEK * is_later)
    is_this = (named["which"] or "").lower() == "this"
    return NamedDay(day, named.start(), named.end(), is_sure=is_this)
