"""Places in a document as a reader of the file knows them: page, slide, sheet and row."""

from __future__ import annotations

from bisect import bisect_right

Places = tuple[tuple[int, str], ...]
"""Where each named place of a text begins, in order: (character offset, name such as "page 3")."""


def place_of(places: Places, start: int, end: int) -> str | None:
    """Return the name of the place of the characters `start` to `end`, None where it has none.

    Characters of several places are at "pages 3-4", or "sheet Prices to sheet Paint".
    """
    own = [name for _, name in places_within(places, start, end) if name]
    if not own:
        return None
    return own[0] if own[0] == own[-1] else _range(own[0], own[-1])


def places_within(places: Places, start: int, end: int) -> Places:
    """Return the places of the characters `start` to `end`, the first beginning at `start`."""
    first = bisect_right(places, start, key=_offset) - 1
    last = bisect_right(places, max(start, end - 1), key=_offset)
    return tuple((max(start, offset), name) for offset, name in places[max(first, 0) : last])


def _offset(place: tuple[int, str]) -> int:
    return place[0]


def _range(first: str, last: str) -> str:
    (kind, _, begin), (last_kind, _, finish) = first.rpartition(" "), last.rpartition(" ")
    if kind and kind == last_kind and begin.isdecimal() and finish.isdecimal():
        return f"{kind}s {begin}-{finish}"
    return f"{first} to {last}"
