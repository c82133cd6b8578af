"""Spaces that a recogniser left out of a line, seen as room between letters in its picture."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import numpy as np
from numpy.typing import NDArray

_INK = 0.25  # of the largest difference from the ground
_MIDDLE = 0.12  # of the height left out above and below: other lines reach into it
_SPECKS = 0.02  # of the height that may be dark in a blank column
_NEAR = 2  # pixels from its middle in which a letter must be seen
_LEAST_SPACES = 2  # that tell how wide spaces of the line are
_AS_WIDE = 0.85  # of the usual space
_NARROWEST = 0.2  # of the height; noise narrows the spaces that are seen


def with_missing_spaces(
    text: str, columns: Sequence[float], picture: NDArray[np.uint8]
) -> tuple[str, ...]:
    """Return the words of a line, those parted that stand as far apart as its other words.

    Args:
        text: The line as it was read.
        columns: The middle of each character that is no white space, from 0 to 1.
        picture: The line's picture, shape (height, width, 3).
    """
    words = text.split()
    gaps = _gaps(columns, picture)
    firsts = np.cumsum([len(word) for word in words]).tolist()
    spaces = [gaps[first - 1] for first in firsts[:-1]]
    if len(spaces) < _LEAST_SPACES:
        return tuple(words)
    least = max(_NARROWEST, _AS_WIDE * median(spaces))
    parted: list[str] = []
    at = 0
    for word in words:
        begin = 0
        for place in range(1, len(word)):
            is_between = word[place - 1].isalnum() and word[place].isalnum()
            if is_between and gaps[at + place - 1] >= least:
                parted.append(word[begin:place])
                begin = place
        parted.append(word[begin:])
        at += len(word)
    return tuple(parted)


def _gaps(columns: Sequence[float], picture: NDArray[np.uint8]) -> list[float]:
    """Return the widest blank stretch between each two characters, in heights of the line."""
    height, width = picture.shape[:2]
    edge = int(_MIDDLE * height)
    grey = picture.mean(axis=2)[edge : height - edge]
    away = np.abs(grey - np.median(grey))
    ink = away > _INK * np.percentile(away, 99)
    is_blank = ink.sum(axis=0) <= _SPECKS * height
    middles = [min(width - 1, int(one * width)) for one in columns]
    return [_blank_between(is_blank, *pair) / height for pair in pairwise(middles)]


def _blank_between(is_blank: NDArray[np.bool_], one: int, other: int) -> int:
    """Return the longest blank stretch between the middles of two letters, which must be seen.

    A thin letter of a faint page may be no darker than the ground: that is no space.
    """
    if _is_unseen(is_blank, one) or _is_unseen(is_blank, other):
        return 0
    return _longest_run(is_blank[one : other + 1])


def _is_unseen(is_blank: NDArray[np.bool_], middle: int) -> bool:
    return bool(is_blank[max(0, middle - _NEAR) : middle + _NEAR + 1].all())


def _longest_run(marks: NDArray[np.bool_]) -> int:
    """Return the length of the longest run of true marks."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], marks, [False])).astype(np.int8)))
    return int((edges[1::2] - edges[::2]).max(initial=0))
