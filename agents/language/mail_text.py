"""The head of a message, which tells who writes and when, and what it quotes of an earlier one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from hoptrail.agents.language.value_patterns import MONTHS, WEEKDAYS
from hoptrail.core.conversation import Message
from hoptrail.core.text import name_key

SAYING = re.compile(
    r"\b(?:say|said|says|tell|told|tells|ask|asked|asks|write|wrote|writes|mention|mentioned"
    r"|announce|announced|send|sent|invite|invited|suggest|suggested|remind|reminded|share|shared"
    r"|message|messaged|post|posted)\b",
    re.I,
)
"""Verbs of which the day of a message is the day."""

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

_MONTHS = [month.lower() for month in MONTHS.split("|")]
_WEEKDAY_BEFORE = re.compile(rf"(?:on |this )?(?:{WEEKDAYS}),? ", re.IGNORECASE)
_TIME = r"(?:[,T ]{1,2}(?:at )?(?P<time>\d\d:\d\d))?"
_DAYS = tuple(
    re.compile(rf"(?<![\w-]){day}{_TIME}(?![\w-])", re.IGNORECASE)
    for day in (
        r"(?P<year>\d{4})-?(?P<month>\d\d)-?(?P<day>\d\d)",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{MONTHS})(?:,? (?P<year>\d{{4}}))?",
        rf"(?P<month>{MONTHS}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>\d{{4}}))?",
    )
)


def is_writer(name: str, message: Message) -> bool:
    """Return whether a name is that of who wrote a message, its first part, or it run together."""
    writer = name_key(message.speaker)
    known = {writer, writer.partition(" ")[0], writer.replace(" ", "")} - {""}
    return name_key(name) in known


def is_written_on(text: str, message: Message) -> bool:
    """Return whether a text is the day of a message, with its time or without."""
    found = _day_in(text)
    return found is not None and _is_moment(found, message)


def without_moment(text: str, message: Message) -> str | None:
    """Return a text without the day of a message; None where it names another day."""
    for day in _DAYS:
        for found in day.finditer(text):
            if not _is_moment(found, message):
                return None
        text = day.sub(" ", text)
    return text


def day_told(text: str, said: str, message: Message) -> NamedDay | None:
    """Return where a message's sentence says "yesterday", "this Monday" for the day in a text."""
    told = named_day(message.at.date(), said)
    if told is None or not told.is_sure:
        return None
    found = _day_in(text)
    return told if found is not None and _is_day(found, told.day) else None


def _day_in(text: str) -> re.Match[str] | None:
    """Return the day that a text is, be it with its weekday: "this Wednesday, 2026-05-20"."""
    bare = _WEEKDAY_BEFORE.sub("", text.strip(), count=1)
    return next((one for day in _DAYS if (one := day.fullmatch(bare))), None)


def _is_moment(found: re.Match[str], message: Message) -> bool:
    time = found["time"]
    is_time = time is None or (message.has_time and time == f"{message.at:%H:%M}")
    return is_time and _is_day(found, message.at.date())


def _is_day(found: re.Match[str], day: date) -> bool:
    month = found["month"].lower()
    number = _MONTHS.index(month) + 1 if month in _MONTHS else int(month)
    is_year = found["year"] is None or int(found["year"]) == day.year
    return is_year and (number, int(found["day"])) == (day.month, day.day)


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


_ORIGINAL = re.compile(
    r"^[ \t]{0,9}(?:-{2,10}[ \t]{0,3}Original[ \t]Message[ \t]{0,3}-{2,10}"
    r"|On[ \t][^\n]{4,100}[ \t]wrote:[ \t]{0,9}$)",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTED_LINE = re.compile(r"^[ \t]{0,20}>", re.MULTILINE)


def is_quoted(text: str, offset: int) -> bool:
    """Return whether a place of a mail stands in what it quotes from an earlier one.

    Args:
        text: The mail, or a passage of it.
        offset: The place.
    """
    line = text[: offset + 1].rpartition("\n")[2]
    original = _original_at(text)
    return line.lstrip().startswith(">") or original is not None and original <= offset


def heads_quotation(text: str, offset: int) -> bool:
    """Return whether a place stands in the line above a quoted mail: "On 3 May Rosa wrote:"."""
    start = text.rfind("\n", 0, offset) + 1
    return _ORIGINAL.match(text, start) is not None


def has_quotation(text: str) -> bool:
    """Return whether a text quotes an earlier mail."""
    return _original_at(text) is not None or _QUOTED_LINE.search(text) is not None


@lru_cache(maxsize=512)
def _original_at(text: str) -> int | None:
    original = _ORIGINAL.search(text)
    return original.start() if original else None
