"""Tables in plain text, whose columns are lined up with spaces or tabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from hoptrail.indexing.loading.readers.content import Block
from hoptrail.indexing.loading.readers.page_layout import headed_blocks, table_blocks_of
from hoptrail.indexing.loading.reading_order import Piece, Row

_GAP = re.compile(r"\t| {2}")
_CELL = re.compile(r"\S{1,120}(?: \S{1,120})*")  # a gap of two spaces parts two cells
_OF_CODE = re.compile(r"[\[\]{}=;\"#<>\\`|]|\([^)]*$")
_MOST_LINES = 300  # longer runs are logs
_LEAST_LINES = 3
_LEAST_FILLED = 0.5  # of the rows that have a figure
_TAB = 8


def aligned_blocks(text: str) -> list[Block]:
    """Return a text in blocks: rows of its tables, and all else as it stands.

    A table has a head, at least two rows below it with cells that stand below each other, and
    figures in most of them: "Work  Hours  $" above "Hedge cutting  3  114.00".

    Args:
        text: Plain text.
    """
    blocks: list[Block] = []
    prose: list[str] = []
    for is_wide, run in groupby(text.split("\n"), key=_has_cells):
        lines = list(run)
        told = _told(lines) if is_wide else []
        if told:
            _end(prose, blocks)
            blocks += told
        else:
            prose += lines
    if not blocks:
        return [Block(text)]
    _end(prose, blocks)
    return blocks


def with_tables(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks, those that follow each other and part their cells by tabs as rows of a table.

    Args:
        blocks: Paragraphs, headings and rows of a document.
    """
    for has_tabs, run in groupby(blocks, key=lambda one: one.row is None and "\t" in one.text):
        own = list(run)
        yield from _told([one.text for one in own]) or own if has_tabs else own


def _has_cells(line: str) -> bool:
    return _GAP.search(line.strip()) is not None


def _end(prose: list[str], blocks: list[Block]) -> None:
    """Add what was read of prose as one block."""
    text = "\n".join(prose).strip("\n")
    if text.strip():
        blocks.append(Block(text))
    prose.clear()


def _told(lines: Sequence[str]) -> list[Block]:
    """Return lines of cells as the rows of a table, none where they are no table."""
    if not _LEAST_LINES <= len(lines) <= _MOST_LINES:
        return []
    figures = sum(any(map(str.isdigit, line)) for line in lines[1:])
    if figures < _LEAST_FILLED * len(lines) or _OF_CODE.search(lines[0]):
        return []
    if all("\t" in line for line in lines):  # a long cell moves the others of its line
        return headed_blocks([[cell.strip() for cell in line.split("\t")] for line in lines])
    return table_blocks_of([_row(at, line) for at, line in enumerate(lines)])


def _row(at: int, line: str) -> Row:
    """Return a line as a row, its characters a unit wide and itself one high."""
    return Row(
        [
            Piece.printed(cell[0], cell.start(), cell.end(), at, 1.0)
            for cell in _CELL.finditer(line.expandtabs(_TAB))
        ]
    )
