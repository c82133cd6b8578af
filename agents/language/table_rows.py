"""Rows of tables: the cell that a row tells about, and the codes that stand for it.

The text of a row is "Flat: 12; Tenant: Ann Holt"; the passage that it stands in shows which columns
tell its rows apart.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from hoptrail.agents.language.line_layout import LabelledPart, labelled_parts, part_at
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.core.tables.table import LONGEST_NAMES, has_unit
from hoptrail.core.text import flat, name_key

_NAMING_LABELS = frozenset("name title item product article description designation".split())
# Columns that count rows: "No. 2" of one list is not "No. 2" of another.
_COUNTING_LABELS = frozenset("no nr num number id pos position row ref index".split())
_CODE = re.compile(r"(?=[\w/.-]{0,20}\d)[\w/.-]{1,20}")
_NO_CODE = re.compile(r"\d{1,12}[.,:/-]\d.*")  # a date, a time, an amount
_AMOUNT = re.compile(r"\d{1,9}[., ]\d{1,2}")  # a key of a name has a space for the point
_LONGEST_CODE_LABEL = 3  # words
_LONGEST_NAME = 6  # words
_SHORT_CODE = 3  # characters
_GOES_ON = re.compile(r"(?: [a-z][\w'’-]{0,30}){1,5}")  # no "Ann Holt, chair" and no bracket


def key_part(parts: Sequence[LabelledPart], row: str, passage: str) -> LabelledPart | None:
    """Return the cell that a row tells about.

    That of a naming label; else the first one, where it is a code that tells the rows apart and is
    more than their number; else the first in words that no other row has (a region stands before
    all its shops) and that are no remark, else such a number.

    The other cells tell of it, and nothing of each other: beside "station: Moorgate; line: North;
    architect: A. Reed", the line is the station's and not the architect's.

    Args:
        parts: The cells.
        row: The text of the row.
        passage: The text that has the row, with other rows of its table.
    """
    named = (part for part in parts if is_naming(part.label) and _has_words(part, row))
    worded = [part for part in parts if _has_words(part, row)]
    code = _code_part(parts, row, passage)
    found = next(named, None)
    if found is None and code is not None and not _counts(code.label):
        return code
    own = (
        part
        for part in worded
        if not _is_repeated(part, row, passage) and not _says_more(part.label, passage)
    )
    return found or next(own, None) or next(iter(worded), None) or code


def identifying_parts(
    parts: Sequence[LabelledPart], row: str, passage: str
) -> tuple[LabelledPart, ...]:
    """Return the cells that each stand for the whole row, the one that it tells about first.

    Beside its name that is a code ("Article no.: 4711"), and the first cell in words where no other
    row of the passage has the same: each tenant of a list of flats.
    """
    key = key_part(parts, row, passage)
    worded = next((part for part in parts if _has_words(part, row)), None)
    if worded is not None and _is_repeated(worded, row, passage):
        worded = None
    found = (key, _code_part(parts, row, passage), worded)
    return tuple(dict.fromkeys(part for part in found if part is not None))


def is_named_row(row: str, passage: str) -> bool:
    """Return whether a text is a row of a table that has a cell which stands for it."""
    parts = labelled_parts(row)
    return len(parts) > 1 and bool(identifying_parts(parts, row, passage))


def is_naming(label: str) -> bool:
    """Return whether the cells of a column name the things of a table."""
    return label.lower() in _NAMING_LABELS


def row_name(part: LabelledPart, row: str) -> str:
    """Return what a row is called by one of its cells: "Ann Holt", "E03", "Flat 2B"."""
    cell = cell_text(part, row)
    is_short_code = len(cell) <= _SHORT_CODE and _CODE.fullmatch(cell) is not None
    is_bare = is_short_code and cell[0].isdigit() or not any(map(str.isalpha, cell))
    return f"{part.label} {cell}" if is_bare else cell


def cell_text(part: LabelledPart, row: str) -> str:
    """Return the text of a cell without the signs around it."""
    return flat(row[part.start : part.end].strip(" ;*_.\n"))


def whole_cell(parts: Sequence[LabelledPart], row: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return a name that opens a cell with the words behind it: "Gardening group".

    In a column of names the whole cell is the name: "Hinge, brass, 40 mm".

    Args:
        parts: The cells.
        row: The text of the row.
        span: Where the name stands.
    """
    start, end = span
    part = part_at(parts, start)
    if part is None or row[part.start : start].strip(" *_"):
        return span
    cell = row[start : part.end].rstrip(" *_;.\n")
    is_short = len(cell.split()) <= _LONGEST_NAME
    is_name = _GOES_ON.fullmatch(row[end : start + len(cell)]) or is_naming(part.label)
    return (start, start + len(cell)) if is_short and is_name else span


def told_of(text: str, offsets: Iterable[int], asked: str) -> str:
    """Return what a row tells of some of its cells: all cells, and the names of these columns.

    "deposit: 65; bow: 12" says nothing of a bow of 65. The column of a cell that is asked about is
    named too: "ticket: adult single" speaks of tickets. A text that is no row is told as it is.

    Args:
        text: A sentence, line or row.
        offsets: A place within each of these cells.
        asked: What is asked, in words.
    """
    parts = labelled_parts(text)
    if len(parts) < 2:
        return text
    wanted = word_groups(asked)
    ends = {part_at(parts, offset) for offset in offsets}
    cells = [text[part.start : part.end] for part in parts]
    labels = [
        part.label
        for part, cell in zip(parts, cells, strict=True)
        if part in ends or word_groups(cell) & wanted
    ]
    return " ".join([*cells, *labels])


def _code_part(parts: Sequence[LabelledPart], row: str, passage: str) -> LabelledPart | None:
    """Return the cell that is a code and that no other row of the passage has, None without one.

    It is the first cell behind prices and other amounts, or one further on with letters and digits:
    "SKU: TOM-07".
    """
    first = next((part for part in parts if not _holds_amounts(part.label, passage)), parts[0])
    codes = [part for part in parts if part == first or _is_mixed(cell_text(part, row))]
    found = (part for part in codes if _is_code(part, row) and not _is_repeated(part, row, passage))
    return min(found, key=lambda part: _counts(part.label), default=None)


def _is_code(part: LabelledPart, row: str) -> bool:
    cell = cell_text(part, row)
    is_code = _CODE.fullmatch(cell) is not None and _NO_CODE.fullmatch(cell) is None
    return is_code and len(part.label.split()) <= _LONGEST_CODE_LABEL


def _is_mixed(cell: str) -> bool:
    """Return whether a cell has letters and digits, and more than the few of a shelf or a size."""
    has_both = any(map(str.isalpha, cell)) and any(map(str.isdigit, cell))
    return has_both and len(cell) > _SHORT_CODE


def _holds_amounts(label: str, passage: str) -> bool:
    """Return whether a column has amounts: its head tells a unit, or numbers have decimals.

    Then "310" is one too.
    """
    return has_unit(label) or any(map(_AMOUNT.fullmatch, _columns(passage).get(label, ())))


def _counts(label: str) -> bool:
    return name_key(label) in _COUNTING_LABELS


def _has_words(part: LabelledPart, row: str) -> bool:
    cell = cell_text(part, row)
    return any(map(str.isalpha, cell)) and not _CODE.fullmatch(cell)


def _is_repeated(part: LabelledPart, row: str, passage: str) -> bool:
    """Return whether other rows of a passage have the same text in the same column."""
    return _columns(passage).get(part.label, {}).get(name_key(cell_text(part, row)), 0) > 1


def _says_more(label: str, passage: str) -> bool:
    """Return whether the cells of a column say something of the rows rather than name them."""
    cells = _columns(passage).get(label, {})
    words = sum(times * len(cell.split()) for cell, times in cells.items())
    return words > LONGEST_NAMES * sum(cells.values())


@lru_cache(maxsize=512)
def _columns(passage: str) -> Mapping[str, Mapping[str, int]]:
    """Return how often each text stands in each column of the rows of a passage."""
    columns: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for line in passage.split("\n"):
        parts = labelled_parts(line)
        if len(parts) > 1:
            for part in parts:
                columns[part.label][name_key(cell_text(part, line))] += 1
    return columns
