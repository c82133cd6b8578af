"""Excel files: every sheet row by row, with the names of the columns."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.optional import require
from hoptrail.indexing.loading.metadata import date_metadata
from hoptrail.indexing.loading.readers.archives import open_archive
from hoptrail.indexing.loading.readers.content import Block, Content
from hoptrail.indexing.loading.readers.file_check import check_not_ole
from hoptrail.indexing.loading.readers.tables import TooManyColumnsError, told_rows
from hoptrail.indexing.loading.readers.titles import meant_title, name_as_words

MAX_CELLS = 2_000_000
_PROPERTIES = "docProps/core.xml"


class _TooManyCellsError(Exception):
    pass


def read_workbook(path: Path) -> Content:
    """Return the rows of all sheets with the values last calculated; formulas are not run.

    A sheet that is too wide is left out and named; so are the sheets after `MAX_CELLS` cells.
    """
    openpyxl = require("openpyxl", extra="documents", purpose="reading Excel files")
    check_not_ole(path, ".xlsx")
    with open_archive(path) as archive:  # checked as a whole; the library opens it by itself
        tells_dates = _PROPERTIES in archive.namelist()  # else the library takes the present
    blocks: list[Block] = []
    left_out: list[tuple[str, str]] = []
    counter = _CellCounter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
            try:
                for sheet in book.worksheets:
                    name = f"sheet {sheet.title}"
                    try:
                        # What a file says of a sheet's size may be wrong.
                        sheet.reset_dimensions()
                        rows = counter.counted(sheet.iter_rows(values_only=True))
                        blocks += [
                            Block(text, f"{name}, row {number}") for number, text in told_rows(rows)
                        ]
                    except (TooManyColumnsError, _TooManyCellsError) as error:
                        left_out.append((name, str(error)))
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


class _CellCounter:
    """Turns the cells of a workbook into texts, up to `MAX_CELLS` of them."""

    def __init__(self) -> None:
        self._cells = 0

    def counted(self, rows: Iterable[tuple[object, ...]]) -> Iterator[list[str]]:
        for row in rows:
            self._cells += len(row)
            if self._cells > MAX_CELLS:
                raise _TooManyCellsError(f"more than {MAX_CELLS:,} cells in this workbook")
            yield [_told(value) for value in row]


def _told(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.12g}"
    if isinstance(value, datetime.datetime):
        whole_day = value.time() == datetime.time()
        return value.date().isoformat() if whole_day else value.isoformat(" ", "minutes")
    if isinstance(value, datetime.time):
        return value.isoformat("minutes")
    return str(value)
