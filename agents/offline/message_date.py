"""Tell on which day something is, was or was said, by the date of a message, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta

from hoptrail.agents.language.calendar_words import WEEKDAYS
from hoptrail.agents.offline.message_search import find_message, messages_of
from hoptrail.core.text import sentences
from hoptrail.core.types import Chunk
from hoptrail.core.types.draft import Draft

_WHEN = re.compile(
    r"^\W*(?:when|(?:on\s)?(?:what|which)\s(?:day|date))\b(?P<about>.{3,300}?)\W*$", re.I | re.S
)
_SAYING = re.compile(
    r"\b(?:say|said|tell|told|ask|asked|write|wrote|mention|mentioned|announce|announced|send|sent"
    r"|invite|invited|suggest|suggested|remind|reminded|share|shared|message|messaged|post|posted)\b",
    re.I,
)
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


def read_message_date(question: str, chunks: Iterable[Chunk]) -> Draft | None:
    """Return the day that a "when" question asks for, counted from the message that tells it.

    "The sail arrived yesterday" of 13 May tells 12 May, "this Wednesday" the next one. Who asks
    when something was said gets the day of the message. None for any other question, where no
    message fits, or where it names no day in relation to its own.

    Args:
        question: The standalone question.
        chunks: What was retrieved.
    """
    asked = _WHEN.match(question)
    said = messages_of(chunks) if asked else []
    if asked is None or not said:
        return None
    found = find_message(asked["about"], said)
    if found is None:
        return None
    claim = found.claim(asked["about"])
    if _SAYING.search(asked["about"]):
        day: date | None = found.message.at.date()
    else:
        told = [claim.object, *sentences(found.text)]
        days = (day_from(found.message.at.date(), sentence) for sentence in told)
        day = next((one for one in days if one is not None), None)
    if day is None:
        return None
    return Draft("graph_search", (f"{day:%Y-%m-%d}",), hops=(claim,), derived=True)


def day_from(written: date, text: str) -> date | None:
    """Return the day that a text names in relation to the day it was written on, if it does."""
    if near := _NEAR.search(text):
        return written + timedelta(days=_DAYS_FROM_NOW[near.group().lower()])
    named = _WEEKDAY.search(text)
    if named is None:
        return None
    ahead = (_NAMES.index(named["day"].lower()) - written.weekday()) % _WEEK
    if (named["which"] or "").lower() == "last":
        return written + timedelta(days=ahead - _WEEK)
    is_later = (named["which"] or "").lower() == "next" and 0 < ahead < _WEEK - written.weekday()
    return written + timedelta(days=ahead + _WEEK * is_later)
