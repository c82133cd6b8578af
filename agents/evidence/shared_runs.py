"""Runs that a title and a text share: how a name is found in scripts without capitals."""

from __future__ import annotations

import re

from hoptrail.core.language.scripts import UNSPACED

_UNIT = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+")
_CHARACTERS = 3  # of a script without spaces; two make a common word
_WORDS = 2


def shared_run(title: str, text: str) -> str:
    """Return the longest run of a title that stands in a text, "" where it may be no name.

    Args:
        title: The `name_key` of a title.
        text: The `name_key` of a text.
    """
    units = [match.span() for match in _UNIT.finditer(title)]
    for length in range(len(units), 0, -1):
        for first in range(len(units) - length + 1):
            run = title[units[first][0] : units[first + length - 1][1]]
            is_unspaced = len(run) == length  # each unit is a character
            if length >= (_CHARACTERS if is_unspaced else _WORDS) and run in text:
                return run
    return ""
