"""Calendars: every event as a row of its date, time, place and people, and what is noted of it."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from hoptrail.core.errors import InputError
from hoptrail.core.optional import require
from hoptrail.indexing.loading.readers.content import Block, Content, name_as_words, row_text
from hoptrail.indexing.loading.readers.raw_bytes import decoded
from hoptrail.indexing.loading.readers.web_pages import all_blocks, parsed

_UNTITLED = "Event without a title"
_ONE_DAY = datetime.timedelta(days=1)

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


def read_calendar(path: Path) -> Content:
    """Return the events of a calendar; its title is its own name, else that of its only event.

    Raises:
        InputError: If it is no calendar.
    """
    return calendar_content(path.read_bytes(), name_as_words(path.stem))


def calendar_content(raw: bytes, title: str) -> Content:
    """Return what the bytes of a calendar say, called by `title` where it has no name.

    Raises:
        InputError: If they are no calendar.
    """
    icalendar = require("icalendar", extra="documents", purpose="reading calendars")
    text = decoded(raw)
    try:
        calendars = icalendar.Calendar.from_ical(text, multiple=True)
        named = [str(found) for each in calendars if (found := each.get("X-WR-CALNAME"))]
        events = [
            (event, zone)
            for each in calendars
            for zone in [_own_zone(each)]
            for event in each.walk("VEVENT")
        ]
        blocks = [block for event, zone in events for block in _blocks(event, zone)]
        tasks = sum(len(each.walk("VTODO")) for each in calendars)
    # The library raises whatever it stumbles over in a damaged file.
    except (ValueError, LookupError, AttributeError, TypeError, OverflowError) as error:
        told = " ".join(str(error).split())[:200]
        raise InputError(f"not a readable calendar: {told}") from error
    left_out = (("tasks", f"{tasks:,} of them: only events are read"),) if tasks else ()
    only = _title(events[0][0]) if len(events) == 1 else ""
    return Content(next(iter(named), only or title), tuple(blocks), left_out)


def _blocks(event: Any, zone: ZoneInfo | None) -> Iterator[Block]:
    """Yield an event as a row, and what else is told of it behind its title."""
    title = _title(event)
    start = _in_zone(event.start, zone)
    place = f"event of {start:%Y-%m-%d}"
    where = {"Location": str(event.get("LOCATION", ""))}
    when = _dates(event, start, _in_zone(event.end, zone)) | where
    if (moved := event.get("RECURRENCE-ID")) is not None:
        # No row, for the place and time of the event in general are told by another one.
        told = ", ".join(filter(None, when.values()))
        yield Block(f"{title}: {told}, instead of {told_day(_in_zone(moved.dt, zone))}", place)
    else:
        cells = {"Event": title} | _as_held(event, when) | _people(event)
        yield Block(row_text(cells, cells.values()), place)
    if missed := [told_day(_in_zone(each.dt, zone)) for each in _excluded(event)]:
        yield Block(f"{title}: not on {' and '.join(missed)}", place)
    for paragraph in _paragraphs(str(event.get("DESCRIPTION", ""))):
        yield Block(f"{title}: {paragraph}", place)


def _title(event: Any) -> str:
    return " ".join(str(event.get("SUMMARY", "")).split()) or _UNTITLED


def _dates(event: Any, start: datetime.date, end: datetime.date) -> dict[str, str]:
    """Return when an event is: its date and time, or its first and last day."""
    has_time = isinstance(start, datetime.datetime)
    # A day without a time that ends an event is the first one that it does not fill.
    last = end if has_time or end <= start else end - _ONE_DAY
    times = {"Time": _told_times(start, last)} if has_time else {}
    if (rule := event.get("RRULE")) is not None:
        return {"Date": _told_recurrence(rule, start)} | times
    if _day(start) == _day(last):
        return {"Date": told_day(start)} | times
    return {"Start": _told_moment(start), "End": _told_moment(last)}


def _as_held(event: Any, when: dict[str, str]) -> dict[str, str]:
    """Return date and place, of a cancelled event under labels that no other event has."""
    if str(event.get("STATUS", "")).upper() != "CANCELLED":
        return when
    told = {f"Cancelled {label.lower()}": value for label, value in when.items()}
    return {"Status": "cancelled"} | told


def _people(event: Any) -> dict[str, str]:
    attendees = ", ".join(map(_person, _several(event.get("ATTENDEE"))))
    return {"Organiser": _person(event.get("ORGANIZER")), "Attendees": attendees}


def _told_recurrence(rule: Any, start: datetime.date) -> str:
    """Return "every Tuesday from 1 December 2026 until ...", the first day without its weekday."""
    first = told_day(start).partition(", ")[2]
    return f"{told_rule(rule, start)} from {first}{told_end(rule)}"


def _told_times(start: Any, end: Any) -> str:
    zone = " UTC" if start.tzname() == "UTC" else ""
    return f"{start:%H:%M}{zone}" if end <= start else f"{start:%H:%M} to {end:%H:%M}{zone}"


def _told_moment(moment: datetime.date) -> str:
    has_time = isinstance(moment, datetime.datetime)
    return f"{told_day(moment)}, {moment:%H:%M}" if has_time else told_day(moment)


def _day(moment: datetime.date) -> datetime.date:
    return moment.date() if isinstance(moment, datetime.datetime) else moment


def _in_zone(moment: Any, zone: ZoneInfo | None) -> Any:
    """Return a moment in UTC by the clock of the calendar; others are told by their own clock."""
    is_utc = isinstance(moment, datetime.datetime) and moment.tzname() == "UTC"
    return moment.astimezone(zone) if is_utc and zone is not None else moment


def _own_zone(calendar: Any) -> ZoneInfo | None:
    try:
        return ZoneInfo(str(calendar["X-WR-TIMEZONE"]))
    except (KeyError, ValueError, ZoneInfoNotFoundError):
        return None


def _excluded(event: Any) -> Iterator[Any]:
    for listed in _several(event.get("EXDATE")):
        yield from listed.dts


def _several(found: Any) -> list[Any]:
    if found is None:
        return []
    return found if isinstance(found, list) else [found]


def _person(address: Any) -> str:
    """Return the name of an organiser or guest, else the address."""
    if address is None:
        return ""
    name = address.params.get("CN", "")
    return str(name).strip('"') or str(address).removeprefix("mailto:").removeprefix("MAILTO:")


def _paragraphs(description: str) -> Iterator[str]:
    """Yield the paragraphs of a description, which some programs write as HTML."""
    if "</" in description or "<br" in description:
        page = parsed(description)
        yield from (block.text for block in (all_blocks(page) if page is not None else ()))
        return
    for paragraph in description.split("\n\n"):
        if told := " ".join(paragraph.split()):
            yield told


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
