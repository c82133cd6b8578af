"""In words how often an event of a calendar comes back: "every Tuesday", "every 2 months"."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January February March April May June July August September October November December".split()
)
_DAYS_BY_CODE = {day[:2].upper(): day for day in DAYS}
_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_ORDINALS = {
    1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last", -2: "last but one"
}  # fmt: skip
_RARE = ("BYSETPOS", "BYWEEKNO", "BYYEARDAY", "BYHOUR", "BYMINUTE", "BYSECOND")


def told_day(moment: datetime.date) -> str:
    """Return a day with its weekday: "Thursday, 26 November 2026"."""
    return f"{DAYS[moment.weekday()]}, {moment.day} {MONTHS[moment.month - 1]} {moment.year}"


def told_rule(rule: Mapping[str, Sequence[Any]], start: datetime.date) -> str:
    """Return in words the days of a rule, without its end; "repeatedly" for a rare kind of rule.

    Args:
        rule: The parts of an RRULE, each a list of values.
        start: The first day, which tells what the rule leaves open.
    """
    unit = _UNITS.get(str(_first(rule, "FREQ")).upper())
    if unit is None or any(part in rule for part in _RARE):
        return "repeatedly"
    interval = int(_first(rule, "INTERVAL") or 1)
    days = [_told_weekday(str(code)) for code in rule.get("BYDAY", ())]
    if unit == "week":
        told = _listed(days or [DAYS[start.weekday()]])
        return f"every {told}" if interval == 1 else f"every {interval} weeks on {told}"
    every = f"every {unit}" if interval == 1 else f"every {interval} {unit}s"
    if on := _within(unit, rule, days, start):
        return f"{every} on {on}"
    return every


def told_end(rule: Mapping[str, Sequence[Any]]) -> str:
    """Return in words when a rule ends, to be put behind its start; "" where it has no end."""
    if count := _first(rule, "COUNT"):
        return f", {count} times" if int(count) > 1 else ", once"
    until = _first(rule, "UNTIL")
    return f" until {told_day(until)}" if isinstance(until, datetime.date) else ""


def _within(
    unit: str, rule: Mapping[str, Sequence[Any]], days: list[str], start: datetime.date
) -> str:
    """Return which day of a month or year is meant, or which weekdays alone of all days."""
    if unit == "day":
        return _listed(days)
    months = [MONTHS[int(number) - 1] for number in rule.get("BYMONTH", ())]
    numbers = [int(number) for number in rule.get("BYMONTHDAY", ())]
    if unit == "year" and not days:
        day = _listed([str(number) for number in numbers or [start.day]])
        return f"{day} {_listed(months or [MONTHS[start.month - 1]])}"
    if days:
        told = f"the {_listed(days)}" if any(" " in day for day in days) else _listed(days)
    else:
        told = f"day {_listed([_told_number(number) for number in numbers or [start.day]])}"
    return f"{told} of {_listed(months)}" if months else told


def _told_weekday(code: str) -> str:
    """Return a weekday such as "TU", also one with its number in the month: "first Tuesday"."""
    day = _DAYS_BY_CODE.get(code[-2:].upper(), code)
    number = code[:-2]
    if not number.lstrip("+-").isdigit():
        return day
    return f"{_ORDINALS.get(int(number), number + '.')} {day}"


def _told_number(day: int) -> str:
    return str(day) if day > 0 else f"{-day} from the end" if day < -1 else "last"


def _first(rule: Mapping[str, Sequence[Any]], part: str) -> Any:
    values = rule.get(part)
    return values[0] if values else None


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
