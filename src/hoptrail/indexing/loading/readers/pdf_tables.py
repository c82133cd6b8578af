"""Tables of PDF pages: lines whose parts stand below each other in columns, drawn or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hoptrail.indexing.loading.page_layout.page_tables import (
    are_labels,
    table_cells,
    tables_and_prose,
)
from hoptrail.indexing.loading.page_layout.reading_order import Piece, Row
from hoptrail.indexing.loading.page_layout.recognised_page import RecognisedWord
from hoptrail.indexing.loading.readers.content import Block
from hoptrail.indexing.loading.readers.pdf_lines import Line
from hoptrail.indexing.loading.readers.tables import TooManyColumnsError, told_table

_LEAST_ROWS = 3
_LEAST_TOLD = 2
_NO_BOX = (0, 0, 0, 0, 0, 0, 0, 0)


def parts_of_page(lines: Sequence[Line]) -> Iterator[tuple[list[Line], list[Block]]]:
    """Yield runs of a page's lines, each with the rows of the table that they are, if they are one.

    Only what has the head of a table, and two rows below it, is one; all else stays lines.
    """
    upright = [line for line in lines if not line.is_turned]
    rows = [_row(line) for line in upright]
    of_row = {id(row): line for row, line in zip(rows, upright, strict=True)}
    prose: list[Line] = []
    for is_table, run in tables_and_prose(rows):
        own = [of_row[id(row)] for row in run]
        blocks = _told(run) if is_table and len(run) >= _LEAST_ROWS else []
        if not blocks:
            prose += own
            continue
        if prose:
            yield prose, []
        prose = []
        yield own, blocks
    prose += [line for line in lines if line.is_turned]
    if prose:
        yield prose, []


def _row(line: Line) -> Row:
    cells = line.cells or ((line.text, line.left, line.right),)
    return Row([_piece(text, left, right, line) for text, left, right in cells])


def _piece(text: str, left: float, right: float, line: Line) -> Piece:
    words = (RecognisedWord(text, _NO_BOX, 1.0),)
    return Piece(words, left, right, -line.baseline, line.size)  # it counts downwards


def _told(rows: Sequence[Row]) -> list[Block]:
    """Return the rows as blocks, none where they have no head or are labels with values."""
    texts = [[" ".join(piece.text for piece in cell) for cell in row] for row in table_cells(rows)]
    if are_labels(texts):
        return []
    try:
        told = told_table(texts)
    except TooManyColumnsError:
        return []
    if sum(one.row is not None for one in told) < _LEAST_TOLD:
        return []
    return [one.block() for one in told]
