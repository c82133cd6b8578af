"""The part of the year that a text names: months, quarters, halves, days and years."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from hoptrail.core.tables.cell_values import day_of, month_number

_ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "last": -1,
}  # fmt: skip
_NUMBERS = {name: number for number, name in enumerate("two three four five six".split(), start=2)}
_ORDINAL = rf"(?P<ordinal>{'|'.join(_ORDINALS)})"
_QUARTER = re.compile(
    rf"\b(?:{_ORDINAL}\squarter|q(?:uarter\s)?(?P<number>[1-4]))\b", re.IGNORECASE
)
_HALF = re.compile(rf"\b(?:{_ORDINAL}\shalf|h(?P<number>[12]))\b", re.IGNORECASE)
_MONTHS = re.compile(rf"\b{_ORDINAL}\s(?P<count>\d|{'|'.join(_NUMBERS)})\smonths\b", re.IGNORECASE)
_DAYS = re.compile(
    r"\bfirst\s(?P<count>\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)\sdays\b",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"\b(?P<from>[^\W\d_]{3,10})\.?\s?(?:[-–—/]|to|until|till|through|bis|à)\s?(?P<to>[^\W\d_]{3,10})\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b[^\W\d_]{3,10}\b")
_YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d(?![\d,])")
_DATES = tuple(
    re.compile(rf"\b(?:{form})\b", re.IGNORECASE)
    for form in (
        r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4}",
        r"\d{1,2}(?:st|nd|rd|th)?\s(?:of\s)?[^\W\d_]{3,10}(?:,?\s\d{4})?",
        r"[^\W\d_]{3,10}\s\d{1,2}(?:st|nd|rd|th)?(?:,?\s\d{4})?",
    )
)
_DAY_RANGE = re.compile(  # "on 3 and 12 May" are two days
    r"\b(?P<between>between\s(?:the\s)?)?(?P<from>\d{1,2})(?:st|nd|rd|th)?\s?"
    r"(?:[-–—]|to|until|till|bis|(?P<and>and|&))\s?(?:the\s)?"
    r"(?P<to>\d{1,2})(?:st|nd|rd|th)?(?P<month>\s(?:of\s)?[^\W\d_]{3,10}(?:,?\s\d{4})?)\b",
    re.IGNORECASE,
)
_COUNTS = _NUMBERS | {"seven": 7, "eight": 8, "nine": 9, "ten": 10}


@dataclass(frozen=True, slots=True)
class CalendarSpan:
    """Months from 1, years and days ("2024-05-03", "05-03") that a text names.

    `most_days` is how many of the first days of a month are meant, 0 for all. `places` are the
    offsets of the words that name them.
    """

    months: frozenset[int] = frozenset()
    years: frozenset[str] = frozenset()
    days: frozenset[str] = frozenset()
    most_days: int = 0
    places: tuple[tuple[int, int], ...] = field(default=(), compare=False)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is named."""
        return not (self.months or self.years or self.days)

    def holds(self, day: str) -> bool:
        """Return whether a day, as `day_of` writes it, lies in this span."""
        date = day.partition(" ")[0]
        has_year = len(date) > 3 and date[:4].isdigit()
        year, _, rest = date.partition("-") if has_year else ("", "", date)
        month, _, on = rest.partition("-")
        if self.years and year and year not in self.years:
            return False
        if self.days:
            return any(date == one or one.endswith(date) or date.endswith(one) for one in self.days)
        if self.most_days and (not on or int(on) > self.most_days):
            return False
        return not self.months or month.isdigit() and int(month) in self.months


@lru_cache(maxsize=16384)
def calendar_span(text: str) -> CalendarSpan:
    """Return what a text names of the calendar."""
    places: list[tuple[int, int]] = []
    days = set()
    for match in (match for form in _DATES for match in form.finditer(text)):
        if (day := day_of(match.group())) and day[-3:-2] == "-" and day.count("-") >= 1:
            days.add(day)
            places.append(match.span())
    for match in _DAY_RANGE.finditer(text):
        begin, end = int(match["from"]), int(match["to"])
        is_pair = match["and"] and not match["between"]
        named = (begin, end) if is_pair else range(begin, end + 1)
        if found := {day for at in named if (day := day_of(f"{at}{match['month']}"))}:
            days |= found
            places.append(match.span())
    months = _months(text, places)
    years = set()
    for match in _YEAR.finditer(text):
        years.add(match.group())
        places.append(match.span())
    first = _DAYS.search(text)
    if first is not None:
        places.append(first.span())
    most = 0 if first is None else int(_COUNTS.get(first["count"].lower(), 0) or first["count"])
    return CalendarSpan(months, frozenset(years), frozenset(days), most, tuple(places))


def _months(text: str, places: list[tuple[int, int]]) -> frozenset[int]:
    """Return the months that a text names, and note where."""
    for pattern, length in ((_QUARTER, 3), (_HALF, 6)):
        if (match := pattern.search(text)) is not None:
            number = int(match["number"] or _ORDINALS[match["ordinal"].lower()])
            places.append(match.span())
            return _part(number, length)
    if (match := _MONTHS.search(text)) is not None:
        count = int(_COUNTS.get(match["count"].lower(), 0) or match["count"])
        is_last = _ORDINALS[match["ordinal"].lower()] < 0
        places.append(match.span())
        return frozenset(range(13 - count, 13) if is_last else range(1, count + 1))
    for match in _RANGE.finditer(text):
        begin, end = month_number(match["from"]), month_number(match["to"])
        if begin and end:
            places.append(match.span())
            last = end if end >= begin else end + 12
            return frozenset((at - 1) % 12 + 1 for at in range(begin, last + 1))
    found = set()
    for match in _NAME.finditer(text):
        # "may" and "march" are seldom months without a capital.
        if (number := month_number(match.group())) and (
            match.group()[0].isupper() or match.group().lower() not in {"may", "march", "mar"}
        ):
            found.add(number)
            places.append(match.span())
    return frozenset(found)


def _part(number: int, length: int) -> frozenset[int]:
    last = 12 // length
    number = last if number < 0 else min(number, last)
    return frozenset(range((number - 1) * length + 1, number * length + 1))
