"""Pages that were recognised from pictures: their words, each with its box and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hoptrail.core.types.record import Record

UNSURE = 0.9
"""A word whose confidence is lower may have been misread (benchmarks/NOTES.md, scans)."""

Quad = tuple[int, int, int, int, int, int, int, int]
"""Four corners in pixels as x, y: from where reading begins, clockwise."""
Spans = tuple[tuple[int, int], ...]
"""Characters of a document as (start, end), in order."""


@dataclass(frozen=True, slots=True)
class ScannedWord(Record):
    """The characters `start` to `end` of a document as a page picture shows them.

    `confidence` is the recogniser's, from 0 to 1.
    """

    start: int
    end: int
    box: Quad
    confidence: float


@dataclass(frozen=True, slots=True)
class ScannedPage(Record):
    """A page of a document that was recognised from a picture, upright.

    `place` is the page as the document's places name it, `picture` the hash of its picture,
    `width` and `height` are the picture's in pixels: boxes count in them.
    """

    number: int
    place: str
    picture: str
    width: int
    height: int
    words: tuple[ScannedWord, ...] = ()

    def words_within(self, start: int, end: int) -> tuple[ScannedWord, ...]:
        """Return the words that the document's characters `start` to `end` touch."""
        return tuple(word for word in self.words if word.start < end and start < word.end)


def unsure_spans(pages: Iterable[ScannedPage]) -> Spans:
    """Return the characters of the words of pages that may have been misread, in order."""
    return tuple(
        sorted(
            (word.start, word.end)
            for page in pages
            for word in page.words
            if word.confidence < UNSURE
        )
    )


def spans_within(spans: Spans, start: int, end: int) -> Spans:
    """Return the spans that the characters `start` to `end` touch."""
    return tuple(span for span in spans if span[0] < end and start < span[1])


def marked_text(text: str, start: int, unsure: Spans) -> str:
    """Return a text with "(?)" behind each word that may have been misread.

    Args:
        text: A part of a document.
        start: The document's character that it begins with.
        unsure: Characters of the document.
    """
    for _, end in sorted(unsure, reverse=True):
        if start < end <= start + len(text):
            text = f"{text[: end - start]}(?){text[end - start :]}"
    return text
