"""Excel files: every sheet row by row, with the names of the columns."""

from __future__ import annotations

import datetime
import posixpath
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.core.optional import require
from hoptrail.indexing.loading.metadata import date_metadata
from hoptrail.indexing.loading.readers.content import Block, Content, meant_title, name_as_words
from hoptrail.indexing.loading.readers.formulas import Formulas
from hoptrail.indexing.loading.readers.pictures import pictures_within
from hoptrail.indexing.loading.readers.raw_bytes import check_not_ole, open_archive
from hoptrail.indexing.loading.readers.table_heads import GridRow
from hoptrail.indexing.loading.readers.tables import (
    LONGEST_REPEATED,
    TooManyColumnsError,
    told_rows,
)

MAX_CELLS = 2_000_000
_NO_VALUE = "have no value: open and save the file in a program that calculates them"
_PROPERTIES = "docProps/core.xml"

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[[^\]]*\]'
    r"|_.|\*.|(?P<digits>[#0?][#0?,.]*)|(?P<other>.)",
    re.DOTALL,
)
_NO_PLAIN_NUMBER = re.compile(r"[/eE@]")
_LONGEST_FORMAT = 255  # characters that Excel takes
_ZEROS = re.compile(r"0{2,20}")

_DRAWING = re.compile(r"xl/drawings/drawing\d{1,5}\.xml")
_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_MERGED = re.compile(
    rb"<(?:\w{1,20}:)?mergeCell ref=\"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})\""
)
_ROW = re.compile(rb"<(?:\w{1,20}:)?row (?P<told>[^>]{1,400})>")
_COLUMNS = re.compile(rb"<(?:\w{1,20}:)?col (?P<told>[^>]{1,400})>")
_HIDDEN = re.compile(rb"\bhidden=\"(?:1|true)\"")
_ROW_NUMBER = re.compile(rb"\br=\"(\d{1,7})\"")
_FROM_TO = re.compile(rb"\bmin=\"(\d{1,5})\"[^>]{0,200}\bmax=\"(\d{1,5})\"")
_WITHOUT_VALUE = re.compile(rb"</f>(?:<v ?/>|<v></v>)?</c>")
_MOST_MERGED = 100_000
_MOST_HIDDEN = 16_384  # columns that Excel has
_NAMED = 5


class _TooManyCellsError(Exception):
    pass


def read_workbook(path: Path) -> Content:
    """Return the rows of all sheets with the values last calculated; formulas are not run.

    What is hidden (sheets, rows, columns) is left out and named, as are sheets that are too wide
    and those after `MAX_CELLS` cells. Formulas that no program has calculated are worked out where
    they are simple (`Formulas`), and named otherwise.
    """
    openpyxl = require("openpyxl", extra="documents", purpose="reading Excel files")
    check_not_ole(path, ".xlsx")
    # The archive is checked as a whole before the library opens it by itself.
    with open_archive(path) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawings = [name for name in sorted(archive.namelist()) if _DRAWING.fullmatch(name)]
        pictures = pictures_within(archive, [(name, 0, "") for name in drawings])
        tells_dates = _PROPERTIES in archive.namelist()  # else the library takes the present
        try:
            book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
            try:
                blocks, left_out = _sheets(book, archive, Formulas(path))
                title = meant_title(book.properties.title)
                created = date_metadata("created", book.properties.created if tells_dates else None)
            finally:
                book.close()
        # The parser raises whatever it stumbles over in a damaged file.
        except Exception as error:
            told = " ".join(str(error).split())[:200]
            raise InputError(f"not a readable Excel file: {told}") from error
    if not blocks and left_out and not pictures:
        raise InputError("; ".join(f"{name}: {reason}" for name, reason in left_out))
    shown = tuple(replace(picture, at=len(blocks)) for picture in pictures)
    name = title or name_as_words(path.stem)
    return Content(name, tuple(blocks), tuple(left_out), created, shown)


def _sheets(
    book: Any, archive: zipfile.ZipFile, formulas: Formulas
) -> tuple[list[Block], list[tuple[str, str]]]:
    """Return the rows of the sheets that a person sees, and what is left out of them."""
    blocks: list[Block] = []
    left_out: list[tuple[str, str]] = []
    counter = _CellCounter()
    parts = sheet_parts(archive)
    for sheet in book.worksheets:
        name = f"sheet {sheet.title}"
        if sheet.sheet_state != "visible":
            left_out.append((name, "hidden: show it in the file to index it"))
            continue
        known = parts.get(sheet.title)
        part = sheet_part(archive.read(known)) if known else SheetPart()
        values = formulas.of(sheet.title) if part.without_value else {}
        try:
            sheet.reset_dimensions()  # what a file says of a sheet's size may be wrong
            rows = with_merged(counter.counted(sheet.iter_rows(), values), part)
            told = told_rows(rows, sheet.title)
            blocks += [row.block(f"{name}, row {row.number}") for row in told]
        except (TooManyColumnsError, _TooManyCellsError) as error:
            left_out.append((name, str(error)))
        if (unknown := part.without_value - len(values)) > 0:
            left_out.append((name, f"{unknown:,} formulas {_NO_VALUE}"))
        if hidden := part.hidden_text():
            left_out.append((name, f"{hidden} hidden: show them in the file to index them"))
    return blocks, left_out


class _CellCounter:
    """Turns the cells of a workbook into texts, up to `MAX_CELLS` of them."""

    def __init__(self) -> None:
        self._cells = 0

    def counted(
        self, rows: Iterable[tuple[Any, ...]], computed: Mapping[tuple[int, int], float]
    ) -> Iterator[GridRow]:
        for number, row in enumerate(rows, start=1):
            self._cells += len(row)
            if self._cells > MAX_CELLS:
                raise _TooManyCellsError(f"more than {MAX_CELLS:,} cells in this workbook")
            cells = [_told(cell) for cell in row]
            worked_out = [at for at in range(len(row)) if (number, at + 1) in computed]
            for at in worked_out:
                form = row[at].number_format or "General"
                cells[at] = formatted(computed[number, at + 1], form)
            yield GridRow(cells, is_computed=bool(worked_out))


def _told(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return formatted(value, cell.number_format or "General")
    if isinstance(value, datetime.datetime):
        whole_day = value.time() == datetime.time()
        return value.date().isoformat() if whole_day else value.isoformat(" ", "minutes")
    if isinstance(value, datetime.time):
        return value.isoformat("minutes")
    if isinstance(value, datetime.timedelta):
        minutes = round(value.total_seconds() / 60)
        return f"{minutes // 60}:{minutes % 60:02d}"
    return str(value)


def formatted(value: float, number_format: str) -> str:
    """Return a number with all its digits, and with the signs that its format puts around them.

    Args:
        value: The number.
        number_format: As Excel writes it, such as `0.0%` or `#,##0.00 [$€-407]`.
    """
    before, after, zeros = _around(number_format)
    if "%" in before or "%" in after:
        value = round(value * 100, 10)
    if value == int(value) and abs(value) < 1e15:
        number = f"{int(value):0{zeros}d}"
    else:
        number = f"{value:.12g}"
    if number.startswith("-") and before:
        return f"-{before}{number[1:]}{after}"
    return f"{before}{number}{after}"


@lru_cache(maxsize=1000)
def _around(number_format: str) -> tuple[str, str, int]:
    """Return what a format shows before and behind the digits, and the least number of digits."""
    parts: list[str] = ["", ""]
    digits = ""
    for match in _TOKEN.finditer(number_format[:_LONGEST_FORMAT].partition(";")[0]):
        kind = match.lastgroup
        if kind == "digits":
            if digits:
                return "", "", 1  # a fraction, or digits in groups
            digits = match["digits"]
        elif kind == "other" and _NO_PLAIN_NUMBER.match(match["other"]):
            return "", "", 1
        elif kind is not None:
            parts[bool(digits)] += match[kind]
    if not digits:
        return "", "", 1
    return parts[0].lstrip(), parts[1].rstrip(), len(digits) if _ZEROS.fullmatch(digits) else 1


@dataclass(frozen=True, slots=True)
class SheetPart:
    """The contents of the part of a sheet.

    `merged` has, by the row in which a cell over several rows or columns begins, its column from 0,
    its last row, and how many columns it spans. `without_value` counts formulas that no program has
    calculated; rows from 1 and columns from 0 may be hidden.
    """

    merged: Mapping[int, tuple[tuple[int, int, int], ...]] = field(default_factory=dict)
    without_value: int = 0
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()

    def hidden_text(self) -> str:
        """Return what is hidden, empty where all is seen."""
        told = []
        if self.hidden_rows:
            told.append(f"row {', '.join(map(str, sorted(self.hidden_rows)[:_NAMED]))}")
        if self.hidden_columns:
            letters = map(_letters, sorted(self.hidden_columns)[:_NAMED])
            told.append(f"column {', '.join(letters)}")
        count = len(self.hidden_rows) + len(self.hidden_columns)
        more = f" and {count - _NAMED:,} more" if count > _NAMED and len(told) == 1 else ""
        return f"{' and '.join(told)}{more} {'is' if count == 1 else 'are'}" if told else ""


def sheet_parts(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the name of each sheet's part in an archive that was checked, by the sheet's name."""
    from lxml.etree import XMLParser, fromstring

    names = set(archive.namelist())
    if not {_WORKBOOK, _RELATIONS} <= names:
        return {}
    parser = XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    targets = {
        str(one.get("Id")): str(one.get("Target"))
        for one in fromstring(archive.read(_RELATIONS), parser).iterfind("{*}Relationship")
    }
    parts = {}
    for sheet in fromstring(archive.read(_WORKBOOK), parser).iterfind("{*}sheets/{*}sheet"):
        relation = next((value for key, value in sheet.items() if key.endswith("}id")), "")
        # A target is below the workbook's folder, or begins at the root of the archive.
        part = posixpath.normpath(posixpath.join("/xl", targets.get(relation, "")))[1:]
        if part in names:
            parts[str(sheet.get("name"))] = part
    return parts


def sheet_part(data: bytes) -> SheetPart:
    """Return what the part of a sheet tells."""
    merged: dict[int, list[tuple[int, int, int]]] = {}
    behind = max(data.rfind(b"</sheetData>"), 0)
    for _, found in zip(range(_MOST_MERGED), _MERGED.finditer(data, behind), strict=False):
        first, last = int(found[2]), int(found[4])
        column = _column(found[1])
        width = _column(found[3]) - column + 1
        if last > first or width > 1:
            merged.setdefault(first, []).append((column, last, width))
    known = {row: tuple(cells) for row, cells in merged.items()}
    without_value = sum(1 for _ in _WITHOUT_VALUE.finditer(data))
    return SheetPart(known, without_value, *_hidden(data))


def _hidden(data: bytes) -> tuple[frozenset[int], frozenset[int]]:
    """Return the rows, from 1, and the columns, from 0, that a person does not see."""
    if _HIDDEN.search(data) is None:
        return frozenset(), frozenset()
    rows = (_ROW_NUMBER.search(row["told"]) for row in _marked(_ROW, data))
    spans = (_FROM_TO.search(column["told"]) for column in _marked(_COLUMNS, data))
    columns = (
        at
        for span in filter(None, spans)
        for at in range(int(span[1]) - 1, min(int(span[2]), _MOST_HIDDEN))
    )
    return frozenset(int(row[1]) for row in filter(None, rows)), frozenset(columns)


def _marked(pattern: re.Pattern[bytes], data: bytes) -> Iterator[re.Match[bytes]]:
    return (match for match in pattern.finditer(data) if _HIDDEN.search(match["told"]))


def _letters(column: int) -> str:
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(column + 1))


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number - 1


def with_merged(rows: Iterable[GridRow], part: SheetPart) -> Iterator[GridRow]:
    """Yield the rows of a sheet, a short cell over several rows told in each that says more.

    What is hidden is empty.
    """
    is_open: dict[int, tuple[str, int]] = {}
    for number, row in enumerate(rows, start=1):
        cells = list(row.cells)
        is_open = {at: cell for at, cell in is_open.items() if cell[1] >= number}
        if is_open and any(cells):
            for column, (text, _) in is_open.items():
                if column < len(cells) and not cells[column]:
                    cells[column] = text
        widths = {}
        for column, last, width in part.merged.get(number, ()):
            if width > 1:
                widths[column] = width
            if last > number and column < len(cells) and 0 < len(cells[column]) <= LONGEST_REPEATED:
                is_open[column] = (cells[column], last)
        if number in part.hidden_rows:
            cells = []
        for column in part.hidden_columns:
            if column < len(cells):
                cells[column] = ""
        yield GridRow(cells, widths, row.is_computed)
