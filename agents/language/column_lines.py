"""Lines of plain text in columns: "Sat   9 - 12", "Adult ........ 6.50 euros"."""

from __future__ import annotations

import re
from dataclasses import dataclass

_GAP = re.compile(r"[ \t]{0,40}\.{3,}[ \t]{0,40}|[ \t]{2,}|:[ \t]{1,40}(?=\d)")
_DAY = {
    day: place
    for place, names in enumerate(
        (
            ("mo", "mon", "monday"),
            ("tu", "tue", "tues", "tuesday"),
            ("we", "wed", "wednesday"),
            ("th", "thu", "thur", "thurs", "thursday"),
            ("fr", "fri", "friday"),
            ("sa", "sat", "saturday"),
            ("su", "sun", "sunday"),
        )
    )
    for day in names
}
_DAYS = re.compile(
    r"(?<!\w)(?P<first>[A-Za-z]{2,9})\.?s?(?:\s?(?:-|–|to|until)\s?(?P<last>[A-Za-z]{2,9})\.?s?)?(?!\w)"
)
_AND = re.compile(r"\s?(?:,|/|&|and|or)\s?")
_LONGEST = 200  # characters
_LONGEST_HEAD = 5  # words

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ColumnLine:
    """A line with what it is about, its first cell, and where its other cells stand."""

    head: str
    cells: tuple[Span, ...]


def column_line(line: str) -> ColumnLine | None:
    """Return the columns of a line, None for a line without, and for one of a longer text."""
    text = line.strip()
    gaps = list(_GAP.finditer(text)) if len(text) <= _LONGEST and "\n" not in text else []
    if not gaps:
        return None
    offset = line.index(text)
    head = text[: gaps[0].start()].strip(" -*•:")
    ends = [*(gap.start() for gap in gaps[1:]), len(text)]
    cells = [
        (offset + gap.end(), offset + end)
        for gap, end in zip(gaps, ends, strict=True)
        if text[gap.end() : end].strip()
    ]
    is_head = any(map(str.isalpha, head)) and len(head.split()) <= _LONGEST_HEAD
    return ColumnLine(head, tuple(cells)) if is_head and cells else None


def days_of(text: str) -> frozenset[int]:
    """Return the weekdays that a text names, 0 for Monday; none where it says anything else.

    "Mon-Wed" are three days, "Saturdays" one, "Sat and Sun" two.
    """
    days: set[int] = set()
    for part in _AND.split(text.strip(" .:")):
        named = _DAYS.fullmatch(part)
        first = _day(named["first"]) if named else None
        last = _day(named["last"]) if named and named["last"] else first
        if first is None or last is None:
            return frozenset()
        days.update((first + step) % 7 for step in range((last - first) % 7 + 1))
    return frozenset(days)


def _day(word: str) -> int | None:
    low = word.lower()
    return _DAY.get(low, _DAY.get(low.removesuffix("s")))
