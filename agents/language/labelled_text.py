"""Labelled parts of a line or a row: "Price: 12.50", "berth: Hall A; metres: 12"."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
