"""Pages as a recogniser returns them, and a pool that recognises in the process of the test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from hoptrail.core.types.document import Quad
from hoptrail.indexing.loading.reading_order import (
    RecognisedLine,
    RecognisedPage,
    RecognisedWord,
)
from hoptrail.indexing.loading.scans.scan_worker import Desk
from hoptrail.indexing.loading.worker_process import ScanPool

LETTER = 12  # pixels across
HEIGHT = 24


def line(text: str, left: int, top: int, confidence: float = 1.0) -> RecognisedLine:
    """Return a line whose letters are all as wide."""
    words = []
    at = 0
    for word in text.split(" "):
        begin = left + at * LETTER
        words.append(RecognisedWord(word, box(begin, top, begin + len(word) * LETTER), confidence))
        at += len(word) + 1
    return RecognisedLine(tuple(words), box(left, top, left + len(text) * LETTER))


def box(left: int, top: int, right: int) -> Quad:
    """Return the corners of words that stand straight."""
    return (left, top, right, top, right, top + HEIGHT, left, top + HEIGHT)


def page(*lines: RecognisedLine, unread: int = 0) -> RecognisedPage:
    """Return a page of 1,000 x 1,400 pixels."""
    return RecognisedPage(lines, 1000, 1400, 0, unread)


def column(texts: Sequence[str], left: int, top: int, step: int = 36) -> list[RecognisedLine]:
    """Return lines below each other."""
    return [line(text, left, top + at * step) for at, text in enumerate(texts)]


@dataclass
class KnownPages:
    """Recognises a picture by the colour of its first pixel; counts how often it was asked."""

    pages: dict[tuple[int, int, int], RecognisedPage]
    asked: int = 0
    name: str = "known-pages-1"

    def recognise(self, picture: Image.Image) -> RecognisedPage:
        """Return the page of the colour, without lines where there is none."""
        self.asked += 1
        colour = picture.getpixel((0, 0))
        assert isinstance(colour, tuple)
        near = (page for known, page in self.pages.items() if _is_near(known, colour))
        return next(near, RecognisedPage((), *picture.size))


def _is_near(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(abs(a - b) < 8 for a, b in zip(one, other, strict=True))


@dataclass
class OwnProcessPool(ScanPool):
    """Does its work at once, in this process."""

    recogniser: KnownPages
    size: int = 1
    desk: Desk = field(init=False)

    def __post_init__(self) -> None:
        self.desk = Desk(self.recogniser.recognise)

    def submit(self, work: Callable[[Callable[[Any], Any]], Any]) -> Future[Any]:
        """Return what is done already."""
        future: Future[Any] = Future()
        future.set_result(work(self.desk.answer))
        return future

    def close(self) -> None:
        """Nothing is to be ended."""


def coloured(path: Path, colour: tuple[int, int, int], **options: Any) -> Path:
    """Write a picture that is no blank one: its first pixels have a colour, others are black."""
    picture = Image.new("RGB", (100, 140), colour)
    picture.paste((0, 0, 0), (50, 70, 100, 140))
    picture.save(path, **options)
    return path
