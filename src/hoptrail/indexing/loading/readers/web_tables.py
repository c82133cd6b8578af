"""Tables of a page of HTML: which of them hold data, and their rows with the tables within."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hoptrail.indexing.loading.readers.content import Block
from hoptrail.indexing.loading.readers.tables import (
    MAX_COLUMNS,
    SpannedRows,
    TooManyColumnsError,
    blocks_with,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

_LONGEST_CELL = 400  # characters
_LONGEST_SPAN = 9  # digits


def is_data_table(table: _Element) -> bool:
    """Return whether a table is none that only lays a page out: its cells are short.

    One with tables in its cells has several rows of several cells, too, and either heads or one
    column of tables beside plain cells.
    """
    if next(table.iterdescendants("table"), None) is None:
        return all(len(" ".join(cell.itertext())) <= _LONGEST_CELL for cell in table.iter("td"))
    rows = [list(row.iterchildren("td", "th")) for row in own_rows(table)]
    rows = [cells for cells in rows if cells]
    if len(rows) < 2 or min(map(len, rows)) < 2:
        return False
    placed = [(at, cell) for cells in rows for at, cell in enumerate(cells)]
    texts = [_own_text(cell) for _, cell in placed]
    if max(map(len, texts)) > _LONGEST_CELL:
        return False
    holding = {at for at, cell in placed if tables_in(cell)}
    if any(cell.tag == "th" for _, cell in placed):
        return len(holding) < max(map(len, rows))
    is_told = all(text for text, (at, _) in zip(texts, placed, strict=True) if at not in holding)
    return is_told and len(holding) == 1


def own_rows(table: _Element) -> list[_Element]:
    """Return the rows of a table, without those of the tables within."""
    return [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]


def tables_in(element: _Element) -> list[_Element]:
    """Return the tables in a part of a table, without those that these hold themselves."""
    around = next(element.iterancestors("table"))
    return [one for one in element.iter("table") if next(one.iterancestors("table")) is around]


def table_blocks_of(table: _Element, within: Sequence[Sequence[Block]]) -> Iterator[Block]:
    """Yield the caption and the rows of a table, each with the blocks of the tables in it.

    Args:
        table: A table whose cells hold no tables any more.
        within: The blocks of the tables that each of its rows held.
    """
    caption = table.find("caption")
    name = "" if caption is None else _text(caption)
    if name:
        yield Block(name)
    lines = own_rows(table)
    spanned = SpannedRows()
    try:
        rows = [
            spanned.row(
                (_text(cell), _span(cell, "colspan"), _span(cell, "rowspan"))
                for cell in line.iter("td", "th")
            )
            for line in lines
        ]
    except TooManyColumnsError as error:
        yield Block(f"({error})")
        return
    names_first = sum([cell.tag for cell in line] == ["th", "td"] for line in lines)
    if rows and names_first > len(rows) / 2:  # the first of two columns holds the names
        for row, further in zip(rows, within, strict=True):
            if row.filled:
                yield Block(": ".join(filter(None, row.cells)))
            yield from further
        return
    yield from blocks_with(rows, within, name)


def _own_text(cell: _Element) -> str:
    """Return the text of a cell without that of the tables in it."""
    depth = sum(1 for _ in cell.iterancestors("table"))
    texts = cell.xpath("descendant::text()[count(ancestor::table) = $depth]", depth=depth)
    return " ".join("".join(map(str, texts)).split())


def _text(element: _Element) -> str:
    return " ".join("".join(str(text) for text in element.itertext()).split())


def _span(cell: _Element, name: str) -> int:
    value = str(cell.get(name, "")).strip()
    is_number = value.isdecimal() and len(value) <= _LONGEST_SPAN
    return min(max(int(value), 1), MAX_COLUMNS) if is_number else 1
