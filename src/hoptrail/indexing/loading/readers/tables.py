"""Rows of a table as text, each with the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from hoptrail.indexing.loading.readers.content import row_text

MAX_COLUMNS = 256
_LONGEST_NAME = 60
_NUMBER = re.compile(r"[\d\s.,:/%+-]+")


class TooManyColumnsError(Exception):
    """A table is wider than `MAX_COLUMNS`."""

    def __init__(self, columns: int) -> None:
        super().__init__(f"a row has {columns:,} columns, more than {MAX_COLUMNS}")


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
    """Return whether a row holds the names of columns: two or more, short, different, no number."""
    names = [cell for cell in cells if cell]
    return (
        len(names) > 1
        and len(set(names)) == len(names)
        and all(len(name) <= _LONGEST_NAME and not _NUMBER.fullmatch(name) for name in names)
    )


def told_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table within a text; one whose rows are all names is told by them."""
    told = [text for _, text in told_rows(rows)]
    if told or not rows:
        return told
    return [text for row in rows if (text := row_text([""] * len(row), row))]
