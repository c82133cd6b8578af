"""Moments as logs write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

_MONTHS = [*map(str, "jan feb mar apr may jun jul aug sep oct nov dec".split())]
_MONTH = r"(?P<month>(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6})\.?"
_TIME = (
    r"(?P<hour>\d{1,2})[:.h](?P<minute>\d\d)(?:[:.]\d\d(?:[.,]\d{1,6})?)?"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?)?(?:\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?"
)
_BETWEEN = r"(?:,?\s{1,2}(?:at\s)?|T|_|\s[-–]\s)"
_DAYS = (
    r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})",
    r"(?P<y>20\d\d|19\d\d)(?P<m>\d\d)(?P<d>\d\d)",
    r"(?P<first>\d{1,2})[-/.](?P<second>\d{1,2})[-/.](?P<y>\d{4}|\d\d)",
    rf"(?:[A-Z][a-z]{{2,8}},?\s)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s{_MONTH}\s(?P<y>\d{{4}})",
    rf"(?:[A-Z][a-z]{{2,8}},?\s)?{_MONTH}\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<y>\d{{4}})",
)
MOMENTS = tuple(re.compile(rf"{day}(?:{_BETWEEN}{_TIME})?(?![\d:])") for day in _DAYS)
"""The ways to write a day, with or without a time."""

TIME = re.compile(_TIME)
"""A time of day alone."""

_LEAST_MILLISECONDS = 10**11


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, and the time of it where that is known, as HH:MM."""

    day: date
    time: str = ""


def read_moment(match: re.Match[str], *, month_first: bool = False) -> Moment | None:
    """Return the moment that one of `MOMENTS` has found, None where there is no such day."""
    found = match.groupdict()
    year, month, day = found["y"], found.get("m") or found.get("month"), found.get("d")
    if found.get("first"):
        first, second = found["first"], found["second"]
        month, day = (first, second) if month_first else (second, first)
    if month and not month.isdigit():
        month = str(_MONTHS.index(month[:3].lower()) + 1)
    full_year = int(year) if len(year) == 4 else 2000 + int(year)
    try:
        return Moment(date(full_year, int(month or 0), int(day or 0)), _clock(found))
    except ValueError:
        return None


def read_time(match: re.Match[str]) -> str:
    """Return the time that `TIME` has found as HH:MM, "" where there is no such time."""
    return _clock(match.groupdict())


def has_month_first(written: Iterable[re.Match[str]]) -> bool:
    """Return whether the days of a log, such as 5/4/26, name the month first.

    A number above 12 decides; else the clock of twelve hours does, and a full stop speaks against.
    """
    days = [one for one in written if one.groupdict().get("first")]
    if any(int(one["first"]) > 12 for one in days):
        return False
    if any(int(one["second"]) > 12 for one in days):
        return True
    return any(one["half"] and "/" in one.group() for one in days)


def moment_of_value(value: Any) -> Moment | None:
    """Return the moment of a field of an export: ISO 8601, or seconds or milliseconds since 1970.

    Numbers are read as universal time; a text keeps its own.
    """
    if isinstance(value, bool):
        return None
    text = str(value).strip()
    try:
        number = float(text)
    except ValueError:
        found = (pattern.match(text) for pattern in MOMENTS)
        return next((read_moment(match) for match in found if match), None)
    try:
        at = datetime.fromtimestamp(number / (1000 if number > _LEAST_MILLISECONDS else 1), UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return Moment(at.date(), f"{at:%H:%M}")


def _clock(found: dict[str, str | Any]) -> str:
    if not found.get("hour"):
        return ""
    hour, minute, half = int(found["hour"]), int(found["minute"]), (found["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f"{hour:02d}:{minute:02d}" if hour < 24 and minute < 60 else ""
