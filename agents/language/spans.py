"""Parts of a text that do not overlap, the more certain kinds first."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Protocol, TypeVar


class _Part(Protocol):
    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


_P = TypeVar("_P", bound=_Part)


def without_overlaps(groups: Iterable[Iterable[_P]]) -> list[_P]:
    """Return the parts of all groups in the order of the text.

    A part that overlaps with one of an earlier group, or with an earlier one of its own, is left
    out.
    """
    kept: list[_P] = []
    for group in groups:
        for part in group:
            place = bisect_left(kept, part.end, key=lambda other: other.start)
            if not place or kept[place - 1].end <= part.start:  # those kept do not overlap
                kept.insert(place, part)
    return kept
