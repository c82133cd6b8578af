"""A table of a document as a whole: typed columns, and rows that know their passage and place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.tables.cell_values import (
    day_of,
    has_decimal_comma,
    is_free,
    is_missing,
    number_of,
    time_of,
)
from hoptrail.core.types import Chunk, TableRow

ColumnKind = Literal["number", "date", "time", "text"]
Value = float | str | None

LONGEST_NAMES = 3.0
"""Words of a cell, on average, in a column that names things."""
_SURE = 0.8  # of the cells that hold something
_ALL = 1.0
_LIKELY = 0.5  # where the head tells a unit: beside "Price (€)" may stand "free" and "not sold"
_SAMPLE = 2000  # rows that tell what a column holds
_ROUNDED = 0.002
_MOST_OPERANDS = 12  # columns of numbers of which one may follow from two others
_UNIT = re.compile(
    r"[\[(](?P<within>[^\])]{1,20})[\])]\s*$|(?P<sign>[£€$¥%‰]|°[CF]?)"
    r"|(?<!\d)\s(?P<last>(?:k|c|m|µ)?(?:g|m|l|t|W|Wh|V|A|Hz|Pa)|ha|kn|min|hrs?|pcs|EUR|USD|GBP|CHF|m²|m2)$"
    r"|_(?P<joined>(?:k|c|m)?[gml]|[CF]|min|hrs?|EUR|USD|GBP)$"
)
_MONTH_FIRST = re.compile(r"\d{1,2}/(1[3-9]|2\d|3[01])/\d{2,4}")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its place from 0, its head, the kind of its values, and their unit, "" for none."""

    index: int
    label: str
    kind: ColumnKind
    unit: str


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A row of a table, the passage that tells it, and where it stands, such as "row 3"."""

    row: TableRow
    chunk_id: str
    place: str


def has_unit(label: str) -> bool:
    """Return whether the head of a column tells a unit, such as "Price (€)" and "Weight kg"."""
    return _UNIT.search(label) is not None


class Table:
    """A table.

    Args:
        doc_id: The document.
        title: The document's title.
        number: Tells the tables of a document apart, from 1.
        name: Such as the sheet's, "" without one.
        labels: The heads of the columns.
        rows: In their order.
        above: What stands above the table in its passage.
        headings: Of that the first line and the headings, which say what the table is of.
    """

    def __init__(
        self,
        doc_id: str,
        title: str,
        number: int,
        name: str,
        labels: Sequence[str],
        rows: Sequence[PlacedRow],
        above: str = "",
        headings: str = "",
    ) -> None:
        self.doc_id = doc_id
        self.title = title
        self.number = number
        self.name = name
        self.labels = tuple(labels)
        self.rows = tuple(rows)
        self.above = above
        self.headings = headings

    @property
    def id(self) -> str:
        """Tells it from all other tables of a base."""
        return f"{self.doc_id}#{self.number}"

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns that hold anything."""
        found = (self._column(at, label) for at, label in enumerate(self.labels))
        return tuple(column for column in found if column is not None)

    @cached_property
    def decimal_comma(self) -> bool:
        """Whether its numbers are written with a comma."""
        return has_decimal_comma(cell for row in self.rows[:_SAMPLE] for cell in row.row.cells)

    @cached_property
    def body(self) -> tuple[int, ...]:
        """The places of the rows that tell of a thing; the others sum up."""
        return tuple(at for at, one in enumerate(self.rows) if one.row.kind == "row")

    @cached_property
    def key(self) -> Column:
        """The column that names the rows: the first in words whose cells mostly differ.

        Where none is such, it is the one in words with the most different cells: the services of
        two regions, and not the regions.

        Raises:
            ValueError: If the table has no column.
        """
        if not self.columns:
            raise ValueError(f"{self.id} has no column")
        texts = [column for column in self.columns if column.kind == "text"] or [*self.columns]
        apart = (column for column in texts if self._tells_apart(column))
        return next(apart, None) or max(texts, key=self._different)

    @cached_property
    def name_column(self) -> Column:
        """The column that steps of a trail name a row by: the key, else one that tells rows apart.

        The rows of a rota are told apart by their days, not by the weekdays. An amount tells rows
        apart by chance, and names none.

        Raises:
            ValueError: If the table has no column.
        """
        if self._tells_apart(self.key):
            return self.key
        others = (one for one in self.columns if not self._has_amounts(one))
        return next((one for one in others if self._tells_apart(one, _ALL)), self.key)

    def _different(self, column: Column) -> int:
        """Return how many different cells a column has."""
        return len({self.text(row, column.index) for row in self.body[:_SAMPLE]})

    def _has_amounts(self, column: Column) -> bool:
        """Return whether a column has numbers that count nothing off: all but a first one of codes.

        "4711" may be the number of an article, "41.50" and "310 EUR" are prices.
        """
        if column.kind != "number":
            return False
        cells = (self.text(row, column.index) for row in self.body[:_SAMPLE])
        return (
            column.index > 0 or bool(column.unit) or not all(map(str.isdigit, filter(None, cells)))
        )

    def _tells_apart(self, column: Column, share: float = _SURE) -> bool:
        """Return whether so many rows have cells of their own in a column."""
        cells = [self.text(row, column.index) for row in self.body[:_SAMPLE]]
        filled = [cell for cell in cells if cell]
        return bool(filled) and len(set(filled)) >= share * len(cells)

    @cached_property
    def remarks(self) -> frozenset[Column]:
        """The columns whose cells say something of the rows rather than name a thing."""
        texts = (one for one in self.columns if one.kind == "text" and one != self.key)
        return frozenset(filter(self._is_wordy, texts))

    def _is_wordy(self, column: Column) -> bool:
        cells = (self.text(row, column.index) for row in self.body[:_SAMPLE])
        lengths = [len(cell.split()) for cell in cells if cell.strip()]
        return sum(lengths) > LONGEST_NAMES * len(lengths)

    def row_name(self, row: int) -> str:
        """Return what a row is called, by the first cell that holds something if all else fails."""
        named = self.text(row, self.name_column.index)
        return named or next((cell for cell in self.rows[row].row.cells if cell), "")

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        cells = self.rows[row].row.cells
        return cells[column] if column < len(cells) else ""

    def value(self, row: int, column: Column) -> Value:
        """Return the value of a cell: a number, minutes for a time, an ordered text for a day."""
        return self._read(self.text(row, column.index), column.kind)

    def _read(self, text: str, kind: ColumnKind) -> Value:
        if is_missing(text):
            return None
        if kind == "number":
            number = number_of(text, decimal_comma=self.decimal_comma)
            if number is None:
                return 0.0 if is_free(text) else None
            return number.value
        if kind == "date":
            return day_of(text, month_first=self.month_first)
        return time_of(text) if kind == "time" else text

    @cached_property
    def sections(self) -> tuple[str, ...]:
        """The lines within the table that rows stand below, where there are several; in order."""
        told = dict.fromkeys(self.rows[row].row.section for row in self.body)
        return tuple(filter(None, told)) if len(told) > 1 else ()

    @cached_property
    def month_first(self) -> bool:
        """Whether "03/05/2024" is the fifth of March: another cell has a day beyond twelve."""
        cells = (cell for row in self.rows[:_SAMPLE] for cell in row.row.cells)
        return any(_MONTH_FIRST.match(cell) for cell in cells)

    @cached_property
    def summing_columns(self) -> frozenset[Column]:
        """The columns whose numbers are each the sum of all others of their row."""
        numeric = [one for one in self.columns if one.kind == "number"]
        if len(numeric) < 3:
            return frozenset()
        rows = [
            [value if isinstance(value := self.value(row, one), float) else 0.0 for one in numeric]
            for row in self.body[:_SAMPLE]
        ]
        return frozenset(
            one
            for at, one in enumerate(numeric)
            if len(rows) > 1
            and sum(abs(sum(row) - 2 * row[at]) < _ROUNDED * abs(row[at]) + 0.01 for row in rows)
            >= _SURE * len(rows)
            and any(row[at] for row in rows)
        )

    @cached_property
    def row_totals(self) -> frozenset[Column]:
        """The columns that follow from two others: quantity times price, or labour and parts.

        Those that go into another one are left out.
        """
        numeric = [one for one in self.columns if one.kind == "number"]
        rows = [[self.value(row, one) for one in numeric] for row in self.body[:_SAMPLE]]
        whole = [row for row in rows if all(isinstance(value, float) for value in row)]
        if len(whole) < 2 or not 3 <= len(numeric) <= _MOST_OPERANDS:
            return frozenset()
        told = np.array(whole).T
        found: dict[int, set[int]] = {}
        for first, second in combinations(range(len(numeric)), 2):
            one, other = told[first], told[second]
            made = [one * other] if (one != 1).any() and (other != 1).any() else []
            made += [one + other] if one.any() and other.any() else []
            for at in {*range(len(numeric))} - {first, second}:
                if any(_agree(told[at], values) for values in made):
                    found.setdefault(at, set()).update((first, second))
        used = set().union(*found.values())
        return frozenset(numeric[at] for at in found.keys() - used)

    def _column(self, at: int, label: str) -> Column | None:
        cells = [cell for row in self.body[:_SAMPLE] if not is_missing(cell := self.text(row, at))]
        if not cells and not label:
            return None
        kind = self._kind(cells, is_measured=has_unit(label))
        return Column(at, label, kind, self._unit(label, cells) if kind == "number" else "")

    def _kind(self, cells: Sequence[str], *, is_measured: bool) -> ColumnKind:
        kinds: tuple[ColumnKind, ...] = ("number", "date", "time")
        for kind in kinds:
            read = sum(self._read(cell, kind) is not None for cell in cells)
            least = _LIKELY if is_measured and kind == "number" else _SURE
            if cells and read >= least * len(cells):
                return kind
        return "text"

    def _unit(self, label: str, cells: Sequence[str]) -> str:
        """Return the unit that the cells have in common, else that of the head."""
        numbers = (number_of(cell, decimal_comma=self.decimal_comma) for cell in cells)
        units = {number.unit for number in numbers if number is not None and number.unit}
        if len(units) == 1:
            return units.pop()
        match = _UNIT.search(label)
        unit = "" if match is None else next(filter(None, match.groups()), "")
        return f"°{unit}" if unit in {"C", "F"} else unit


def _agree(one: FloatArray, other: FloatArray) -> bool:
    """Return whether two columns of numbers are the same but for rounding, and a few slips."""
    is_like = np.isclose(one, other, rtol=_ROUNDED, atol=0.01)
    return bool(one.any() and is_like.mean() >= _SURE)


def assemble_tables(chunks: Iterable[Chunk]) -> list[Table]:
    """Return the tables whose rows stand in passages, in the order in which they come.

    Args:
        chunks: Passages of any documents; those of one document in their order.
    """
    parts: dict[tuple[str, int], list[PlacedRow]] = {}
    told: dict[tuple[str, int], tuple[str, str, tuple[str, ...], list[str]]] = {}
    for chunk in chunks:
        for part in chunk.tables:
            key = (chunk.doc_id, part.number)
            if key not in told:
                first = part.rows[0]
                own = _above(chunk, first.start)  # of which its section tells of some rows alone
                above = [line for line in own if line.lstrip("# ") != first.section]
                told[key] = (chunk.title, part.name, part.columns, above)
            parts.setdefault(key, []).extend(
                PlacedRow(row, chunk.id, chunk.place_of(row.start, row.end) or "")
                for row in part.rows
            )
    return [
        Table(
            doc_id,
            title,
            number,
            name,
            columns,
            parts[doc_id, number],
            " ".join(line.lstrip("# ") for line in above),
            " ".join(line.lstrip("# ") for line in above if line[0] == "#" or line == above[0]),
        )
        for (doc_id, number), (title, name, columns, above) in told.items()
    ]


def _above(chunk: Chunk, start: int) -> list[str]:
    """Return the lines of a passage before a table that are no rows of another one."""
    rows = [(row.start, row.end) for part in chunk.tables for row in part.rows if row.end <= start]
    begin, lines = chunk.start, []
    for row_start, row_end in [*rows, (start, start)]:
        lines.append(chunk.text[begin - chunk.start : row_start - chunk.start])
        begin = row_end
    flat = (" ".join(line.split()) for line in "\n".join(lines).split("\n"))
    return [line for line in flat if line.strip("# ")]
