"""Comparing a stored value with one of a filter: as numbers, as dates, or letter for letter."""

from __future__ import annotations

import json
import re
from calendar import monthrange
from datetime import UTC, datetime

Scalar = str | int | float | bool

_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:[T ]\d{2}:\d{2}.{0,30})?", re.DOTALL)


def listed(value: str) -> list[str]:
    """Return the values of a field: a list is stored as JSON."""
    if not value.startswith("["):
        return [value]
    try:
        items = json.loads(value)
    except (ValueError, RecursionError):
        return [value]
    return [item if isinstance(item, str) else json.dumps(item) for item in items]


def is_equal(value: str, wanted: Scalar) -> bool:
    """Return whether a stored value is the wanted one."""
    if isinstance(wanted, bool):
        return value.lower() == str(wanted).lower()
    if isinstance(wanted, str) and value == wanted:
        return True
    number, own = as_number(wanted), as_number(value)
    if number is not None and own is not None:
        return own == number
    day, moment = as_date(wanted), as_date(value)
    if day is None or moment is None:
        return False
    return day[0] <= moment[0] and moment[1] <= day[1]


def as_number(value: Scalar) -> float | None:
    """Return the number that a value is or spells, None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    text = value.strip()
    if not text.lstrip("+-")[:1].isdecimal() or not text.isascii():
        return None  # no "nan", no "inf"
    try:
        return float(text)
    except (ValueError, OverflowError):
        return None


def as_date(value: Scalar) -> tuple[str, str] | None:
    """Return the first and last moment of the date that a text spells by ISO 8601, in UTC.

    A year, a month or a day is as long as it lasts. Moments are texts that sort by time.
    """
    text = str(value).strip()
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month = int(match[1]), int(match[2] or 1)
    try:
        if match[2] is None:
            return _moment(year, 1, 1), _moment(year, 12, 31, end=True)
        if match[3] is None:
            last = monthrange(year, month)[1]
            return _moment(year, month, 1), _moment(year, month, last, end=True)
        if len(text) == len("2024-01-31"):
            day = int(match[3])
            return _moment(year, month, day), _moment(year, month, day, end=True)
        found = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None
    moment = _text(found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found)
    return moment, moment


def _moment(year: int, month: int, day: int, *, end: bool = False) -> str:
    hour, minute, second, fraction = (23, 59, 59, 999999) if end else (0, 0, 0, 0)
    return _text(datetime(year, month, day, hour, minute, second, fraction))


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")
