"""Lines that were broken for want of room, put together again; words that a hyphen split."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from hoptrail.core.text import ends_on_purpose
from hoptrail.indexing.loading.readers.pdf_lines import Line

_WORD = re.compile(r"\w+(?:-\w+)*")
_SPLIT_WORD = re.compile(r"(\W{0,3}\w{2,40})[-\u00ad\u2010]\n(\w{2,40})(.*)")
_NEIGHBOURS = 3  # lines above and below


def known_words(texts: Iterable[str]) -> Counter[str]:
    """Return how often the texts of lines have each word, in small letters."""
    return Counter(word for text in texts for word in _WORD.findall(text.lower()))


def unwrapped(lines: Sequence[Line], known: Counter[str]) -> str:
    """Return the lines of a page, those joined that were broken for want of room.

    Columns and headings differ in width, so a line is compared with its neighbours.
    """
    texts = [line.text for line in lines]
    parts: list[str] = []
    for at, line in enumerate(texts):
        if not parts:
            parts.append(line)
            continue
        before = lines[at - 1]
        neighbours = texts[max(0, at - 1 - _NEIGHBOURS) : at + _NEIGHBOURS]
        width = max(map(len, neighbours))
        split = _SPLIT_WORD.fullmatch(f"{parts[-1].rpartition(' ')[2]}\n{line}")
        if split is not None:
            parts[-1] = parts[-1].rpartition(" ")[0]
            parts.append(f" {_mended(split, known)}" if parts[-1] else _mended(split, known))
            continue
        stands_alone = lines[at].is_apart or lines[at].is_row or before.is_row
        ends = stands_alone or ends_on_purpose(before.text, line, width)
        parts.append(("\n" if ends else " ") + line)
    return "".join(parts).strip()


def _mended(split: re.Match[str], known: Counter[str]) -> str:
    """Return a line whose first word began on the line before, as the text else writes the word."""
    first, second, rest = split.groups()
    with_hyphen = f"{first}-{second}"
    keeps = known[with_hyphen.lower()] > known[(first + second).lower()]
    return (with_hyphen if keeps or not second[0].islower() else first + second) + rest
