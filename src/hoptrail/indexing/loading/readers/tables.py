"""Rows of a table as text, each with the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from hoptrail.indexing.loading.readers.content import row_text

MAX_COLUMNS = 256
LONGEST_REPEATED = 200  # characters of a cell over several rows that are told in each of them
_MOST_SPANNED = 4 * MAX_COLUMNS
_LONGEST_NAME = 60
_NUMBER = re.compile(r"[\d\s.,:/%+-]+")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


class TooManyColumnsError(Exception):
    """A table is wider than `MAX_COLUMNS`."""

    def __init__(self, columns: int) -> None:
        super().__init__(f"a row has {columns:,} columns, more than {MAX_COLUMNS}")


class SpannedRows:
    """Puts cells that span rows and columns into the columns in which they are seen.

    A short cell over several rows is told in each of them, as it holds for each; a cell over
    several columns stands in the first.
    """

    def __init__(self) -> None:
        self._open: dict[int, tuple[str, int]] = {}

    def row(self, cells: Iterable[tuple[str, int, int]]) -> list[str]:
        """Return the texts of a row by column.

        Args:
            cells: The text of each, and how many columns and rows it spans.

        Raises:
            TooManyColumnsError: If the row reaches beyond four times `MAX_COLUMNS`.
        """
        texts = {column: text for column, (text, _) in self._open.items()}
        held = set(self._open)
        self._open = {at: (text, more - 1) for at, (text, more) in self._open.items() if more > 1}
        column = 0
        for text, columns, rows in cells:
            while column in held:
                column += 1
            if column + columns > _MOST_SPANNED:
                raise TooManyColumnsError(column + columns)
            texts[column] = text
            for spanned in range(column, column + columns):
                if rows > 1:
                    shown = text if spanned == column and len(text) <= LONGEST_REPEATED else ""
                    self._open[spanned] = (shown, rows - 1)
            column += columns
        return [texts.get(at, "") for at in range(max(texts, default=-1) + 1)]


def told_rows(rows: Iterable[Sequence[str]]) -> Iterator[tuple[int, str]]:
    """Yield `(number, text)` of each row that says something, the first being number 1.

    The header is the first row with two names or more; what stands above it is told as it is. Cells
    without a name are told alone.

    Raises:
        TooManyColumnsError: If a row has more than `MAX_COLUMNS` cells that are not empty.
    """
    header: list[str] | None = None
    for number, row in enumerate(rows, start=1):
        cells = [" ".join(cell.split()) for cell in row]
        filled = sum(map(bool, cells))
        if filled > MAX_COLUMNS:
            raise TooManyColumnsError(filled)
        if header is None and is_header(cells):
            header = cells
            continue
        if text := row_text([*(header or ()), *([""] * len(cells))], cells):
            yield number, text


def is_header(cells: Sequence[str]) -> bool:
    """Return whether a row holds the names of columns: two or more, short, different, no number.

    Years one after the other are names as well: "Group, 2021, 2022, 2023".
    """
    names = [cell for cell in cells if cell]
    numbers = [name for name in names if _NUMBER.fullmatch(name)]
    return (
        len(names) > max(1, len(numbers))
        and len(set(names)) == len(names)
        and all(len(name) <= _LONGEST_NAME for name in names)
        and (not numbers or _are_years_in_turn(numbers))
    )


def _are_years_in_turn(numbers: Sequence[str]) -> bool:
    """Return whether numbers are two or more years, each as far from the next as all others."""
    if len(numbers) < 2 or not all(map(_YEAR.fullmatch, numbers)):
        return False
    years = [int(number) for number in numbers]
    steps = {later - earlier for earlier, later in pairwise(years)}
    return len(steps) == 1 and (len(years) > 2 or steps <= {-1, 1})


def told_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table within a text; one whose rows are all names is told by them."""
    return [text for _, text in numbered_table(rows)]


def numbered_table(rows: Sequence[Sequence[str]]) -> list[tuple[int, str]]:
    """Return the rows of a table within a text as `told_table` does, each with its number."""
    told = list(told_rows(rows))
    if told or not rows:
        return told
    plain = ((number, row_text([""] * len(row), row)) for number, row in enumerate(rows, start=1))
    return [(number, text) for number, text in plain if text]
