"""Rows of a table as text, each with the names of the columns, and as cells of the table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from hoptrail.core.types.document import RowKind
from hoptrail.indexing.loading.readers.content import (
    Block,
    RowCells,
    TableHead,
    heading,
    row_text,
)
from hoptrail.indexing.loading.readers.table_heads import (
    LOOKAHEAD,
    GridRow,
    find_head,
    is_number,
)

MAX_COLUMNS = 256
LONGEST_REPEATED = 200  # characters of a cell over several rows that are told in each of them
COMPUTED = ", computed"
"""Ends the place of a row with a number that the file does not store."""
_MOST_SPANNED = 4 * MAX_COLUMNS
_LONGEST_SECTION = 60
_SECTION_LEVEL = 4
_TOTAL = re.compile(
    r"(?:grand |sub-?|in )?totals?|sum|subtotal|overall|altogether|averages?|mean|all|net|gross"
    r"|(?:gesamt|zwischen)?summe|gesamt|insgesamt|durchschnitt|mittelwert|ensemble|moyenne|somme",
    re.IGNORECASE,
)
_LONGEST_TOTAL = 4  # words


class TooManyColumnsError(Exception):
    """A table is wider than `MAX_COLUMNS`."""

    def __init__(self, columns: int) -> None:
        super().__init__(f"a row has {columns:,} columns, more than {MAX_COLUMNS}")


class ToldRow(NamedTuple):
    """A row as text: its number from 1, and its cells where it belongs to a table."""

    number: int
    text: str
    row: RowCells | None = None
    is_computed: bool = False

    def block(self, place: str = "") -> Block:
        """Return the row as a block."""
        return Block(self.text, f"{place}{COMPUTED if self.is_computed else ''}", row=self.row)


class SpannedRows:
    """Puts cells that span rows and columns into the columns in which they are seen.

    A short cell over several rows is told in each of them, as it holds for each; a cell over
    several columns stands in the first.
    """

    def __init__(self) -> None:
        self._open: dict[int, tuple[str, int]] = {}

    def row(self, cells: Iterable[tuple[str, int, int]]) -> GridRow:
        """Return a row by column.

        Args:
            cells: The text of each, and how many columns and rows it spans.

        Raises:
            TooManyColumnsError: If the row reaches beyond four times `MAX_COLUMNS`.
        """
        texts = {column: text for column, (text, _) in self._open.items()}
        held = set(self._open)
        widths: dict[int, int] = {}
        self._open = {at: (text, more - 1) for at, (text, more) in self._open.items() if more > 1}
        column = 0
        for text, columns, rows in cells:
            while column in held:
                column += 1
            if column + columns > _MOST_SPANNED:
                raise TooManyColumnsError(column + columns)
            texts[column] = text
            if columns > 1:
                widths[column] = columns
            for spanned in range(column, column + columns):
                if rows > 1:
                    shown = text if spanned == column and len(text) <= LONGEST_REPEATED else ""
                    self._open[spanned] = (shown, rows - 1)
            column += columns
        return GridRow([texts.get(at, "") for at in range(max(texts, default=-1) + 1)], widths)


def told_rows(rows: Iterable[Sequence[str] | GridRow], name: str = "") -> Iterator[ToldRow]:
    """Yield each row that says something.

    A head is the first row, or rows, that name the columns (`find_head`); what stands above it is
    told as it is. Cells without a name are told alone. A line that stands alone among the rows is
    the heading of those below it. After an empty row another table may begin, with its own head.

    Args:
        rows: The cells of each, from the first row of a sheet or table on.
        name: What the table is called, such as the name of its sheet.

    Raises:
        TooManyColumnsError: If a row has more than `MAX_COLUMNS` cells that are not empty.
    """
    reader = _TableReader(rows, name)
    while (told := reader.next()) is not None:
        if told.text:
            yield told


class _Numbered(NamedTuple):
    number: int
    row: GridRow
    is_apart: bool
    """Whether an empty row, or none, stands before it."""


class _TableReader:
    """Reads rows one by one, a few ahead."""

    def __init__(self, rows: Iterable[Sequence[str] | GridRow], name: str) -> None:
        self._rows = _numbered(rows)
        self._ahead: list[_Numbered] = []
        self._name = name
        self._head: TableHead | None = None
        self._numeric: frozenset[int] = frozenset()
        self._section = ""
        self._is_in_sections: bool | None = None  # not known before the first row

    def next(self) -> ToldRow | None:
        """Return what the next row tells, which may be nothing; None behind the last."""
        if not self._look(1):
            return None
        given = self._ahead[0]
        if self._head is None or given.is_apart and self._begins_anew(given.row):
            found = find_head([one.row for one in self._look(LOOKAHEAD)])
            if found is not None:
                columns, height = found
                del self._ahead[:height]
                self._begin(columns)
                return ToldRow(given.number, "")
        del self._ahead[0]
        return self._told(given)

    def _look(self, count: int) -> list[_Numbered]:
        """Return the next rows, fewer at the end of a table."""
        self._ahead += islice(self._rows, max(0, count - len(self._ahead)))
        return self._ahead[:count]

    def _begin(self, columns: tuple[str, ...]) -> None:
        self._head = TableHead(self._name, columns)
        self._section = ""
        self._is_in_sections = None
        below = [one.row for one in self._look(LOOKAHEAD)]
        self._numeric = frozenset(
            at for at in range(len(columns)) if any(is_number(row.cell(at)) for row in below)
        )

    def _begins_anew(self, row: GridRow) -> bool:
        """Return whether names stand where the table above has numbers."""
        names = [at for at in row.filled if not is_number(row.cells[at])]
        return len(names) == len(row.filled) > 1 and bool(self._numeric & set(names))

    def _told(self, given: _Numbered) -> ToldRow:
        number, row, _ = given
        if self._head is None:
            return ToldRow(number, row_text([""] * len(row.cells), row.cells))
        columns = self._head.columns
        if len(row.filled) == 1 and self._stands_alone(given):
            text = row.cells[row.filled[0]]
            if not self._is_followed():
                return ToldRow(number, text)
            self._section = text
            self._is_in_sections = True
            return ToldRow(number, heading(text, _SECTION_LEVEL))
        self._is_in_sections = bool(self._is_in_sections)
        if tuple(row.cells[: len(columns)]) == columns:  # the head once more, on another page
            return ToldRow(number, "")
        text = row_text([*columns, *([""] * len(row.cells))], row.cells)
        cells = tuple(row.cell(at) for at in range(len(columns)))  # more than these stay text
        told = RowCells(self._head, cells, _kind(row), self._section)
        return ToldRow(number, text, told, row.is_computed)

    def _stands_alone(self, given: _Numbered) -> bool:
        """Return whether the only cell of a row speaks of the rows below, or of the table."""
        at = given.row.filled[0]
        text = given.row.cells[at]
        if is_number(text) or self._head is None or len(self._head.columns) < 2:
            return False
        if given.row.widths.get(at, 1) > 1 or given.is_apart:
            return True
        # Of two columns the second may be empty, unless such lines divide the whole table.
        is_section = len(self._head.columns) > 2 or self._is_divided()
        return at == 0 and is_section and len(text) <= _LONGEST_SECTION

    def _is_divided(self) -> bool:
        """Return whether the first line below the head stands alone, and a further one does."""
        if self._is_in_sections is None:
            lone = [len(one.row.filled) == 1 for one in self._look(LOOKAHEAD)]
            is_heading = [one and not other for one, other in pairwise([*lone, True])]
            self._is_in_sections = not lone[:1] == [True] and any(is_heading)
        return self._is_in_sections

    def _is_followed(self) -> bool:
        """Return whether a row of several cells comes next."""
        below = self._look(1)
        return bool(below) and len(below[0].row.filled) > 1


def _numbered(rows: Iterable[Sequence[str] | GridRow]) -> Iterator[_Numbered]:
    """Yield the rows that are not empty, their texts on one line.

    Raises:
        TooManyColumnsError: If a row has more than `MAX_COLUMNS` cells that are not empty.
    """
    is_apart = True
    for number, given in enumerate(rows, start=1):
        grid = given if isinstance(given, GridRow) else GridRow(given)
        row = GridRow(
            [" ".join(cell.split()) for cell in grid.cells], grid.widths, grid.is_computed
        )
        filled = len(row.filled)
        if filled > MAX_COLUMNS:
            raise TooManyColumnsError(filled)
        if filled:
            yield _Numbered(number, row, is_apart)
        is_apart = not filled


def _kind(row: GridRow) -> RowKind:
    """Return whether the first cell in words says that a row sums others up."""
    first = next((cell for cell in row.cells if cell and not is_number(cell)), "")
    word = first.strip(" :=.").casefold()
    is_total = _TOTAL.fullmatch(word) or (
        len(word.split()) <= _LONGEST_TOTAL and _TOTAL.fullmatch(word.split()[0]) is not None
        if word
        else False
    )
    return "total" if is_total else "row"


def table_blocks(rows: Sequence[Sequence[str] | GridRow], name: str = "") -> list[Block]:
    """Return the rows of a table within a text as blocks; one that is too wide says so."""
    try:
        return [told.block() for told in told_table(rows, name)]
    except TooManyColumnsError as error:
        return [Block(f"({error})")]


def blocks_with(
    rows: Sequence[GridRow], attached: Sequence[Sequence[Block]], name: str = ""
) -> Iterator[Block]:
    """Yield the rows of a table within a text as blocks, each with the blocks that hang on it."""
    try:
        told = {row.number: row.block() for row in told_table(rows, name)}
    except TooManyColumnsError as error:
        told = {1: Block(f"({error})")}
    for number, further in enumerate(attached, start=1):
        if number in told:
            yield told[number]
        yield from further


def told_table(rows: Sequence[Sequence[str] | GridRow], name: str = "") -> list[ToldRow]:
    """Return the rows of a table within a text; one whose rows are all names is told by them."""
    told = list(told_rows(rows, name))
    if told or not rows:
        return told
    plain = (
        (number, row.cells if isinstance(row, GridRow) else row)
        for number, row in enumerate(rows, start=1)
    )
    texts = ((number, row_text([""] * len(cells), cells)) for number, cells in plain)
    return [ToldRow(number, text) for number, text in texts if text]
