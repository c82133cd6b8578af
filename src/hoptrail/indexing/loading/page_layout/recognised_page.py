"""The words of a page with their places, as whoever recognised a picture gives them."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.types import Record
from hoptrail.core.types.scan import Quad


@dataclass(frozen=True, slots=True)
class RecognisedWord(Record):
    """A word without white space, its box in pixels, and its confidence from 0 to 1."""

    text: str
    box: Quad
    confidence: float


@dataclass(frozen=True, slots=True)
class RecognisedLine(Record):
    """Words that stand beside each other on a line, in their order."""

    words: tuple[RecognisedWord, ...]
    box: Quad

    @property
    def text(self) -> str:
        """Its words with a space between."""
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class RecognisedPage(Record):
    """The lines of a picture, in any order.

    `turned` is by how many degrees clockwise the picture had to be turned to be read upright: 0,
    90, 180 or 270; boxes are those of the picture after that. `unread` counts lines in which no
    words could be made out.
    """

    lines: tuple[RecognisedLine, ...]
    width: int
    height: int
    turned: int = 0
    unread: int = 0
