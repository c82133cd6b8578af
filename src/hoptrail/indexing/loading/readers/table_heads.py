"""The heads of tables: which rows name the columns, and what each column is called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

LOOKAHEAD = 6  # rows that tell whether those above them are heads
_LONGEST_NAME = 60
_LONGEST_UNIT = 12
_MOST_LEVELS = 4
_NUMBER = re.compile(r"[\d\s.,:/%+-]+")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_HAS_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row of a table as it is drawn.

    `cells` are texts by column; one that spans several stands in the first of them. `widths` are
    how many columns such cells span, by column. `is_computed` is whether a number of it was not
    stored but worked out here.
    """

    cells: Sequence[str]
    widths: Mapping[int, int] = field(default_factory=dict)
    is_computed: bool = False

    @property
    def filled(self) -> list[int]:
        """The columns in which something stands."""
        return [at for at, cell in enumerate(self.cells) if cell]

    def cell(self, column: int) -> str:
        """Return the text of a column, empty where the row does not reach it."""
        return self.cells[column] if column < len(self.cells) else ""


def find_head(rows: Sequence[GridRow]) -> tuple[tuple[str, ...], int] | None:
    """Return the names of the columns and how many rows tell them, None without a head.

    The head begins with the first of the rows. It goes on where a cell stands above several names,
    and where a row of units follows: "Members" above "Half day" and "Full day" gives the columns
    "Members Half day" and "Members Full day".

    Args:
        rows: Up to `LOOKAHEAD` rows, without empty ones.
    """
    levels = [rows[0]]
    while len(levels) < _MOST_LEVELS and _goes_on(levels[-1], rows[len(levels) :]):
        levels.append(rows[len(levels)])
    names = _joined(levels)
    if not (len(levels) > 1 and _are_names(names) or is_header(names) or _repeats(names, rows[1:])):
        return None
    height = len(levels)
    if _has_units(levels[-1], rows[height:]):
        units = rows[height]
        names = [_with_unit(name, units.cell(at)) for at, name in enumerate(names)]
        height += 1
    return tuple(_told_apart(names)), height


def is_header(cells: Sequence[str]) -> bool:
    """Return whether a row holds the names of columns: two or more, short, different, no number.

    Years one after the other are names as well: "Group, 2021, 2022, 2023".
    """
    names = [cell for cell in cells if cell]
    return _are_names(cells) and len(set(names)) == len(names)


def is_number(cell: str) -> bool:
    """Return whether a cell has digits and signs of numbers alone."""
    return _NUMBER.fullmatch(cell) is not None and _HAS_DIGIT.search(cell) is not None


def _are_names(cells: Sequence[str]) -> bool:
    names = [cell for cell in cells if cell]
    numbers = [name for name in names if _NUMBER.fullmatch(name)]
    return (
        len(names) > max(1, len(numbers))
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


def _repeats(names: Sequence[str], below: Sequence[GridRow]) -> bool:
    """Return whether names stand twice above columns of numbers: they are heads all the same."""
    numeric = sum(
        bool(name) and any(is_number(row.cell(at)) for row in below)
        for at, name in enumerate(names)
    )
    return _are_names(names) and numeric > 1 and 2 * len(set(names)) > len(names)


def _goes_on(row: GridRow, below: Sequence[GridRow]) -> bool:
    """Return whether the row below tells the columns apart that cells of this row stand above."""
    if len(below) < 2 or len(row.filled) < 1:
        return False
    under, body = below[0], below[1]
    names = [cell for cell in under.cells if cell]
    short = all(len(name) <= _LONGEST_NAME for name in names)
    numbers = [name for name in names if is_number(name)]
    if not short or numbers and not _are_years_in_turn(numbers):
        return False
    if any(
        width > 1 and sum(bool(under.cell(at + step)) for step in range(width)) > 1
        for at, width in row.widths.items()
        if width < len(under.cells) or len(row.filled) > 1
    ):
        return True
    if len(row.filled) < 2 or row.widths:
        return False
    # Without a mark of what spans what: a name, nothing beside it, and two names below.
    gaps = [
        at
        for at in range(1, max(len(row.cells), len(under.cells)))
        if not row.cell(at) and under.cell(at)
    ]
    is_below_group = any(_group_before(row, at) and under.cell(at - 1) for at in gaps)
    tells_numbers = any(is_number(body.cell(at)) for at in gaps)
    return is_below_group and (tells_numbers or not under.cell(0) and bool(body.cell(0)))


def _group_before(row: GridRow, column: int) -> bool:
    return any(row.cell(at) for at in range(column))


def _joined(levels: Sequence[GridRow]) -> list[str]:
    """Return the name of each column: those that stand above one another, each once."""
    width = max(
        max((len(row.cells) for row in levels), default=0),
        max((at + wide for row in levels for at, wide in row.widths.items()), default=0),
    )
    spread = [_spread(row, width, is_last=row is levels[-1]) for row in levels]
    return [" ".join(dict.fromkeys(filter(None, parts))) for parts in zip(*spread, strict=True)]


def _spread(row: GridRow, width: int, *, is_last: bool) -> list[str]:
    """Return a row with each cell in all the columns that it stands above."""
    told = [row.cell(at) for at in range(width)]
    for at, wide in row.widths.items():
        for step in range(at, min(at + wide, width)):
            told[step] = told[step] or row.cell(at)
    if not is_last and not row.widths:
        for at in range(1, width):
            told[at] = told[at] or told[at - 1]
    return told


def _has_units(names: GridRow, below: Sequence[GridRow]) -> bool:
    """Return whether a row of units follows the names: the first column has none."""
    if len(below) < 2 or not names.cell(0) or below[0].cell(0) or not below[1].cell(0):
        return False
    units = [cell for cell in below[0].cells if cell]
    return bool(units) and all(len(one) <= _LONGEST_UNIT and not is_number(one) for one in units)


def _with_unit(name: str, unit: str) -> str:
    return f"{name} ({unit.strip('()[]')})" if name and unit else name or unit


def _told_apart(names: Sequence[str]) -> list[str]:
    """Return the names, those that stand a second time with their number."""
    seen: dict[str, int] = {}
    told = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        told.append(f"{name} ({seen[name]})" if name and seen[name] > 1 else name)
    return told
