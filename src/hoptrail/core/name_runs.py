"""Runs of words of a question, any of which could be a name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoptrail.core.language.scripts import UNSPACED
from hoptrail.core.text import name_key

UNIT = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+(?:['’.&-](?![{UNSPACED}])\w+)*")
"""A word, with what joins its parts; of scripts without spaces, a character."""
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_MOST_WORDS = 14
_MOST_UNITS = 10


def word_runs(question: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of every run of up to 14 words, any of which could be a name."""
    yield from _runs(question, _WORD, _MOST_WORDS)


def unit_runs(question: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of every run of up to ten words or unspaced characters."""
    yield from _runs(question, UNIT, _MOST_UNITS)


def name_keys_in(text: str) -> dict[str, None]:
    """Return the `name_key` of the text and of every run of words in it, in order, each once."""
    runs = (text[start:end] for runs in (unit_runs, word_runs) for start, end in runs(text))
    return dict.fromkeys(map(name_key, (text, *runs)))


def _runs(text: str, unit: re.Pattern[str], most: int) -> Iterator[tuple[int, int]]:
    units = [match.span() for match in unit.finditer(text)]
    for first, (start, _) in enumerate(units):
        for _, end in units[first : first + most]:
            yield start, end
