"""Tables as documents hold them: the heads of their columns, and the cells of each row."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from hoptrail.core.types.record import Record

RowKind = Literal["row", "total"]
"""A row that tells of a thing, or one that sums others up."""


@dataclass(frozen=True, slots=True)
class TableRow(Record):
    """One row: the document's characters `start` to `end` tell it.

    `cells` are texts by column, empty where nothing stands. `section` is the line within the table
    that the row stands under, such as "Northern depots".
    """

    start: int
    end: int
    cells: tuple[str, ...]
    kind: RowKind = "row"
    section: str = ""


@dataclass(frozen=True, slots=True)
class TablePart(Record):
    """Rows of one table that stand in one text: a document has all of them, a passage some.

    `number` tells the tables of a document apart, from 1. `name` is such as the sheet's; `columns`
    are the heads, those of several rows joined, empty where a column has none.
    """

    number: int
    name: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]


Tables = tuple[TablePart, ...]


def tables_within(tables: Tables, start: int, end: int) -> Tables:
    """Return the parts of tables whose rows begin within the characters `start` to `end`."""
    parts = (replace(part, rows=_within(part.rows, start, end)) for part in tables)
    return tuple(part for part in parts if part.rows)


def _within(rows: tuple[TableRow, ...], start: int, end: int) -> tuple[TableRow, ...]:
    return rows[bisect_left(rows, start, key=_start) : bisect_left(rows, end, key=_start)]


def _start(row: TableRow) -> int:
    return row.start


def tables_text(tables: Tables) -> str:
    """Return parts of tables as text, which `tables_of` reads: JSON without names of fields."""
    parts = [
        [
            part.number,
            part.name,
            part.columns,
            [
                [kind, section, [[row.start, row.end, *row.cells] for row in rows]]
                for (kind, section), rows in groupby(
                    part.rows, key=lambda row: (row.kind, row.section)
                )
            ],
        ]
        for part in tables
    ]
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))


def tables_of(text: str) -> Tables:
    """Return the parts that `tables_text` wrote.

    Raises:
        ValueError: If it did not write this text.
        TypeError: The same.
    """
    return tuple(
        TablePart(int(number), str(name), tuple(columns), tuple(_rows(runs)))
        for number, name, columns, runs in json.loads(text)
    )


def _rows(runs: Sequence[tuple[RowKind, str, Sequence[Sequence[str | int]]]]) -> list[TableRow]:
    return [
        TableRow(int(start), int(end), tuple(map(str, cells)), kind, section)
        for kind, section, rows in runs
        for start, end, *cells in rows
    ]
