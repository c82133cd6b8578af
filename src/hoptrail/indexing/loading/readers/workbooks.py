"""Excel files: every sheet row by row, with the names of the columns."""

from __future__ import annotations

import datetime
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.core.optional import require
from hoptrail.indexing.loading.metadata import date_metadata
from hoptrail.indexing.loading.readers.archives import open_archive
from hoptrail.indexing.loading.readers.content import Block, Content
from hoptrail.indexing.loading.readers.file_check import check_not_ole
from hoptrail.indexing.loading.readers.number_formats import formatted
from hoptrail.indexing.loading.readers.sheet_parts import (
    SheetPart,
    sheet_part,
    sheet_parts,
    with_merged,
)
from hoptrail.indexing.loading.readers.tables import TooManyColumnsError, told_rows
from hoptrail.indexing.loading.readers.titles import meant_title, name_as_words

MAX_CELLS = 2_000_000
_NO_VALUE = "have no value: open and save the file in a program that calculates them"
_PROPERTIES = "docProps/core.xml"


class _TooManyCellsError(Exception):
    pass


def read_workbook(path: Path) -> Content:
    """Return the rows of all sheets with the values last calculated; formulas are not run.

    A sheet that is hidden or too wide is left out and named, as are the sheets after `MAX_CELLS`
    cells and formulas that no program has calculated.
    """
    openpyxl = require("openpyxl", extra="documents", purpose="reading Excel files")
    check_not_ole(path, ".xlsx")
    # The archive is checked as a whole before the library opens it by itself.
    with open_archive(path) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tells_dates = _PROPERTIES in archive.namelist()  # else the library takes the present
        try:
            book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
            try:
                blocks, left_out = _sheets(book, archive)
                title = meant_title(book.properties.title)
                created = date_metadata("created", book.properties.created if tells_dates else None)
            finally:
                book.close()
        # The parser raises whatever it stumbles over in a damaged file.
        except Exception as error:
            told = " ".join(str(error).split())[:200]
            raise InputError(f"not a readable Excel file: {told}") from error
    if not blocks and left_out:
        raise InputError("; ".join(f"{name}: {reason}" for name, reason in left_out))
    return Content(title or name_as_words(path.stem), tuple(blocks), tuple(left_out), created)


def _sheets(book: Any, archive: zipfile.ZipFile) -> tuple[list[Block], list[tuple[str, str]]]:
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
        try:
            sheet.reset_dimensions()  # what a file says of a sheet's size may be wrong
            rows = with_merged(counter.counted(sheet.iter_rows()), part)
            blocks += [Block(text, f"{name}, row {number}") for number, text in told_rows(rows)]
        except (TooManyColumnsError, _TooManyCellsError) as error:
            left_out.append((name, str(error)))
        if part.without_value:
            left_out.append((name, f"{part.without_value:,} formulas {_NO_VALUE}"))
    return blocks, left_out


class _CellCounter:
    """Turns the cells of a workbook into texts, up to `MAX_CELLS` of them."""

    def __init__(self) -> None:
        self._cells = 0

    def counted(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[list[str]]:
        for row in rows:
            self._cells += len(row)
            if self._cells > MAX_CELLS:
                raise _TooManyCellsError(f"more than {MAX_CELLS:,} cells in this workbook")
            yield [_told(cell) for cell in row]


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
