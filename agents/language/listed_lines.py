"""Lists of a text: items on a line each, below a heading or a line that ends with a colon."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_LINE = re.compile(r"[^\n]+")
# A short line without a full stop, with the signs of a heading or without.
_HEADING = re.compile(r"(?:#{1,6}[ \t]{1,9})?(?P<lead>[^\W_][^\n:;]{1,60}(?<![.!?,\s]))[ \t#]{0,9}")
_UNDERLINE = re.compile(r"[ \t]{0,9}(?:={3,}|-{3,})[ \t]{0,9}")
_COLON = re.compile(r"[ \t]{0,9}(?P<lead>[^\W\d_][^\n:;]{1,80}):\*{0,2}[ \t]{0,9}")
_BULLET = re.compile(r"[ \t]{0,12}(?:[-*•–+]|\d{1,2}[.)])[ \t]{1,9}(?=\S)")
_PLAIN_ITEM = re.compile(r"[ \t]{0,12}[^\W_][^\n:;]{0,80}(?<![.!?;:,\s])[ \t]{0,9}")
_SIGNS = " \t#*_"
_FEWEST = 2

Span = tuple[int, int]


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
    return start, start + len(line[start:].rstrip(_SIGNS))


def _lead(line: str) -> tuple[str, bool]:
    """Return what a line says above a list, and whether by a colon; nothing for another line."""
    if colon := _COLON.fullmatch(line):
        return colon["lead"].strip(_SIGNS), True
    heading = _HEADING.fullmatch(line)
    return (heading["lead"].strip(_SIGNS), False) if heading else ("", False)
