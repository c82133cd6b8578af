"""Lines with a layout: labelled parts, columns, and lists below a heading or a colon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

_SIGNS = r"[ ()\[\]'’/.&+#%‰°²³£€$¥–—-]"
_LABEL = re.compile(
    # The head of a column may begin with any sign or number: "£ each", "6-9 m", "2024".
    rf"(?:^\W{{0,6}}|;\s|\s{{2,4}})(?P<label>[^\W\d_](?:\w|{_SIGNS}){{0,40}}?"
    rf"|(?<=;\s)(?! )(?:\w|{_SIGNS})(?:\w|{_SIGNS}){{0,40}}?)"
    r"\*{0,2}:\*{0,2}\s{1,20}(?=\S)"
)
_LONGEST_LABEL_WORDS = 6
_LONGEST_COLUMN_WORDS = 9


@dataclass(frozen=True, slots=True)
class LabelledPart:
    """A part of a text behind its label; the offsets are those of the part without the label."""

    label: str
    start: int
    end: int


@lru_cache(maxsize=16384)
def labelled_parts(text: str) -> tuple[LabelledPart, ...]:
    """Return the labelled parts of a line or row in order, none for an ordinary sentence."""
    labels = [
        match
        for match in _LABEL.finditer(text)
        if len(match["label"].split())
        <= (_LONGEST_COLUMN_WORDS if match.group().startswith(";") else _LONGEST_LABEL_WORDS)
    ]
    ends = [*(match.start() for match in labels[1:]), len(text)][: len(labels)]
    return tuple(
        LabelledPart(match["label"].strip(), match.end(), end)
        for match, end in zip(labels, ends, strict=True)
    )


def part_at(parts: Sequence[LabelledPart], offset: int) -> LabelledPart | None:
    """Return the part that an offset of the text lies in."""
    return next((part for part in parts if part.start <= offset < part.end), None)


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
_LONGEST_COLUMN_LINE = 200  # characters
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
    gaps = (
        list(_GAP.finditer(text)) if len(text) <= _LONGEST_COLUMN_LINE and "\n" not in text else []
    )
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


_LINE = re.compile(r"[^\n]+")
# A short line without a full stop, with the signs of a heading or without.
_HEADING = re.compile(r"(?:#{1,6}[ \t]{1,9})?(?P<lead>[^\W_][^\n:;]{1,60}(?<![.!?,\s]))[ \t#]{0,9}")
_UNDERLINE = re.compile(r"[ \t]{0,9}(?:={3,}|-{3,})[ \t]{0,9}")
_COLON = re.compile(r"[ \t]{0,9}(?P<lead>[^\W\d_][^\n:;]{1,80}):\*{0,2}[ \t]{0,9}")
_BULLET = re.compile(r"[ \t]{0,12}(?:[-*•–+]|\d{1,2}[.)])[ \t]{1,9}(?=\S)")
_PLAIN_ITEM = re.compile(r"[ \t]{0,12}[^\W_][^\n:;]{0,80}(?<![.!?;:,\s])[ \t]{0,9}")
_LIST_SIGNS = " \t#*_"
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class ListedLines:
    """A list of a text: the line above it without its signs, and where each item stands.

    An item is its whole line behind the bullet. `is_whole` is whether more text follows it: where
    none does, a passage may have cut it off.
    """

    lead: str
    items: tuple[Span, ...]
    is_whole: bool


@lru_cache(maxsize=512)
def lists_in(text: str) -> tuple[ListedLines, ...]:
    """Return the lists of two items or more that no other line goes on with, in order."""
    return tuple(one for one in _lists(text) if len(one.items) >= _FEWEST)


def _lists(text: str) -> Iterator[ListedLines]:
    lead, is_colon = "", False
    items: list[Span] = []
    end = 0
    for line in _LINE.finditer(text):
        if _UNDERLINE.fullmatch(line.group()) and not items or not line.group().strip():
            continue
        is_apart = text.count("\n", end, line.start()) > 1
        is_bare = is_colon and not (items and is_apart)
        item = _item(line.group(), is_bare=is_bare)
        if lead and item:
            is_colon = is_colon and _BULLET.match(line.group()) is None  # all with bullets, or none
            items.append((line.start() + item[0], line.start() + item[1]))
        else:
            if is_apart:
                yield ListedLines(lead, tuple(items), is_whole=True)
            items = []
            lead, is_colon = _lead(line.group())
        end = line.end()
    yield ListedLines(lead, tuple(items), is_whole=False)


def _item(line: str, *, is_bare: bool) -> Span | None:
    """Return where the item of a line stands in it, None where it has none.

    Args:
        line: The line.
        is_bare: Whether a line without a bullet may be one.
    """
    bullet = _BULLET.match(line)
    if bullet is None and not (is_bare and _PLAIN_ITEM.fullmatch(line)):
        return None
    start = bullet.end() if bullet else len(line) - len(line.lstrip())
    return start, start + len(line[start:].rstrip(_LIST_SIGNS))


def _lead(line: str) -> tuple[str, bool]:
    """Return what a line says above a list, and whether by a colon; nothing for another line."""
    if colon := _COLON.fullmatch(line):
        return colon["lead"].strip(_LIST_SIGNS), True
    heading = _HEADING.fullmatch(line)
    return (heading["lead"].strip(_LIST_SIGNS), False) if heading else ("", False)
