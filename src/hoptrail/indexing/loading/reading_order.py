"""The order in which a page's recognised lines are read: columns, rows of cells, paragraphs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Self

from hoptrail.core.types import Record
from hoptrail.core.types.document import Quad

_SLOPE = 3  # times its height that a line must be long to tell the skew
_WORD_GAP = 1.7  # of the height: a wider gap between words parts cells
_ZONE_GAP = 1.2  # of the height: a gap over the whole page that parts zones
_PROSE = 18  # characters of the usual line of a column
_LEAST_LINES = 3
_MOST_GUTTERS = 40
_SAME_ROW = 0.5  # of the height
_OVERHANG = 0.3  # of the height by which a line may reach over a gutter


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


_NO_BOX: Quad = (0, 0, 0, 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Piece:
    """Words beside each other; left, right and middle as if the page stood straight, in pixels."""

    words: tuple[RecognisedWord, ...]
    left: float
    right: float
    middle: float
    height: float

    @classmethod
    def printed(cls, text: str, left: float, right: float, middle: float, height: float) -> Self:
        """Return words that nobody had to recognise, as a piece without boxes in a picture."""
        return cls((RecognisedWord(text, _NO_BOX, 1.0),), left, right, middle, height)

    @property
    def text(self) -> str:
        """Its words with a space between."""
        return " ".join(word.text for word in self.words)

    @property
    def bottom(self) -> float:
        """Where it ends below."""
        return self.middle + self.height / 2


@dataclass(slots=True)
class Row:
    """Pieces at one height from left to right: one of a line of prose, several of cells."""

    pieces: list[Piece] = field(default_factory=list)

    @property
    def middle(self) -> float:
        """The middle of its pieces."""
        return sum(piece.middle for piece in self.pieces) / len(self.pieces)

    @property
    def height(self) -> float:
        """The usual height of its pieces."""
        return median(piece.height for piece in self.pieces)

    @property
    def text(self) -> str:
        """Its pieces with a space between."""
        return " ".join(piece.text for piece in self.pieces)


def rows_in_order(page: RecognisedPage) -> list[list[Row]]:
    """Return the rows of a page in reading order, in parts that belong together.

    A part is a column, or a band of the page that is not in columns.
    """
    pieces = _straight_pieces(page.lines)
    return [rows for part in _parts(pieces) if (rows := list(_rows(part)))]


def skew_of(lines: Sequence[RecognisedLine]) -> float:
    """Return the angle by which the lines of a page descend to the right, in radians."""
    angles = []
    for line in lines:
        x0, y0, x1, y1, _, _, x3, y3 = line.box
        if math.hypot(x1 - x0, y1 - y0) >= _SLOPE * math.hypot(x3 - x0, y3 - y0):
            angles.append(math.atan2(y1 - y0, x1 - x0))
    flat = [angle for angle in angles if abs(angle) < math.pi / 4]
    return median(flat) if flat else 0.0


def _straight_pieces(lines: Sequence[RecognisedLine]) -> list[Piece]:
    angle = skew_of(lines)
    return [piece for line in lines for piece in _pieces(line, math.cos(angle), math.sin(angle))]


def _pieces(line: RecognisedLine, cos: float, sin: float) -> Iterator[Piece]:
    """Yield the parts of a line between gaps that are wider than a space."""
    found = [_piece([word], cos, sin) for word in line.words]
    if len(found) == 1 and found[0].right <= found[0].left:
        return
    words: list[Piece] = []
    for piece in found:
        if words and piece.left - words[-1].right > _WORD_GAP * piece.height:
            yield _joined(words)
            words = []
        words.append(piece)
    if words:
        yield _joined(words)


def _piece(words: list[RecognisedWord], cos: float, sin: float) -> Piece:
    box = words[0].box
    xs = [x * cos + y * sin for x, y in zip(box[::2], box[1::2], strict=True)]
    ys = [y * cos - x * sin for x, y in zip(box[::2], box[1::2], strict=True)]
    height = (ys[2] + ys[3] - ys[0] - ys[1]) / 2
    return Piece(tuple(words), min(xs), max(xs), sum(ys) / 4, max(1.0, abs(height)))


def _joined(pieces: Sequence[Piece]) -> Piece:
    return Piece(
        tuple(word for piece in pieces for word in piece.words),
        pieces[0].left,
        pieces[-1].right,
        sum(piece.middle for piece in pieces) / len(pieces),
        max(piece.height for piece in pieces),
    )


def _parts(pieces: list[Piece]) -> Iterator[list[Piece]]:
    """Yield the pieces of a page part by part; the left one of two columns comes first.

    Room across the whole page parts zones, such as columns from a table below them. Zones in turn
    with the same gutter are one, for a column goes on below a gap; so are zones without any.
    """
    group: list[Piece] = []
    gutter: float | None = None
    for zone in _zones(pieces):
        own = _gutter(zone)
        if gutter is not None and own is None and _fits(zone, gutter):
            own = gutter
        if group and not _is_same_gutter(gutter, own, zone):
            yield from _columns(group, gutter)
            group = []
        if not group:
            gutter = own
        group += zone
    if group:
        yield from _columns(group, gutter)


def _columns(pieces: list[Piece], gutter: float | None) -> Iterator[list[Piece]]:
    if gutter is None:
        yield pieces
        return
    for band in _bands(pieces, gutter):
        left, right = _sides(band, gutter)
        if _are_columns(left, right):
            yield from _parts(left)
            yield from _parts(right)
        else:
            yield band


def _zones(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Yield the pieces between gaps that go across the whole page, from above."""
    height = median(piece.height for piece in pieces) if pieces else 0.0
    zone: list[Piece] = []
    bottom = 0.0
    for piece in sorted(pieces, key=lambda one: one.middle):
        if zone and piece.middle - piece.height / 2 - bottom > _ZONE_GAP * height:
            yield zone
            zone = []
        bottom = max(bottom, piece.bottom) if zone else piece.bottom
        zone.append(piece)
    if zone:
        yield zone


def _fits(zone: Sequence[Piece], gutter: float) -> bool:
    """Return whether a zone is the end of columns: lines on one side, or of prose on both."""
    if any(piece.left < gutter < piece.right for piece in zone):
        return False
    sides = [side for side in _sides(zone, gutter) if side]
    return len(sides) == 1 or all(_is_prose(side) for side in sides)


def _is_same_gutter(one: float | None, other: float | None, zone: Sequence[Piece]) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= 2 * median(piece.height for piece in zone)


def _gutter(pieces: Sequence[Piece]) -> float | None:
    """Return where a page is best parted into columns of prose, None where nowhere."""
    gaps = {
        round((one.right + other.left) / 2)
        for one in pieces
        for other in pieces
        if one.right < other.left and abs(one.middle - other.middle) < 2 * one.height
    }
    step = max(1, len(gaps) // _MOST_GUTTERS)
    best: tuple[int, float] | None = None
    for gutter in sorted(gaps)[::step]:
        count = 0
        for band in _bands(pieces, gutter):
            left, right = _sides(band, gutter)
            if _are_columns(left, right):
                count += len(left) + len(right)
        if count and (best is None or count > best[0]):
            best = (count, gutter)
    return None if best is None else best[1]


def _bands(pieces: Sequence[Piece], gutter: float) -> Iterator[list[Piece]]:
    """Yield what stands above, between and below the pieces that go over a gutter, and these."""
    band: list[Piece] = []
    over: list[Piece] = []
    for piece in sorted(pieces, key=lambda one: one.middle):
        room = _OVERHANG * piece.height
        if piece.left < gutter - room and piece.right > gutter + room:
            if band:
                yield band
                band = []
            over.append(piece)
            continue
        # A piece beside one that goes over the gutter is a part of its line.
        if over and abs(piece.middle - over[-1].middle) < _SAME_ROW * over[-1].height:
            over.append(piece)
            continue
        if over:
            yield over
            over = []
        band.append(piece)
    for rest in (over, band):
        if rest:
            yield rest


def _sides(band: Sequence[Piece], gutter: float) -> tuple[list[Piece], list[Piece]]:
    left = [piece for piece in band if (piece.left + piece.right) / 2 < gutter]
    right = [piece for piece in band if (piece.left + piece.right) / 2 >= gutter]
    return left, right


def _are_columns(left: Sequence[Piece], right: Sequence[Piece]) -> bool:
    """Return whether both sides of a gutter are prose, not cells of a table."""
    if min(len(left), len(right)) < _LEAST_LINES:
        return False
    return _is_prose(left) and _is_prose(right)


def _is_prose(side: Sequence[Piece]) -> bool:
    return median(len(piece.text) for piece in side) >= _PROSE


def _rows(pieces: Sequence[Piece]) -> Iterator[Row]:
    """Yield the rows of a part from above."""
    row = Row()
    for piece in sorted(pieces, key=lambda one: (one.middle, one.left)):
        if row.pieces and piece.middle - row.middle > _SAME_ROW * min(row.height, piece.height):
            yield Row(sorted(row.pieces, key=lambda one: one.left))
            row = Row()
        row.pieces.append(piece)
    if row.pieces:
        yield Row(sorted(row.pieces, key=lambda one: one.left))


def usual_step(rows: Sequence[Row]) -> float:
    """Return the usual distance between the rows of a part, infinite where it has one."""
    steps = [later.middle - before.middle for before, later in pairwise(rows)]
    near = [step for step, row in zip(steps, rows, strict=False) if 0 < step < 4 * row.height]
    return median(near) if near else math.inf
