"""PDF: the text of the pages without what every page repeats, its hyphens mended."""

from __future__ import annotations

import atexit
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.metadata import date_metadata
from hoptrail.indexing.loading.readers.content import (
    Block,
    Content,
    Picture,
    guess_title,
    meant_title,
)
from hoptrail.indexing.loading.readers.page_layout import (
    known_words,
    table_blocks_of,
    tables_and_prose,
    unwrapped,
    without_running_lines,
)
from hoptrail.indexing.loading.readers.pdf_lines import Line
from hoptrail.indexing.loading.readers.pdf_worker import MAX_MEMORY
from hoptrail.indexing.loading.reading_order import Piece, Row
from hoptrail.indexing.loading.worker_process import WorkerProcess

_ASKED = "its pages are to be read as pictures"
_ENDED = (".", "!", "?", ":", ";", "”", '"', ")")
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([-+Z])(\d\d)?'?(\d\d)?)?")
_FIRST = (1, 1, 1, 0, 0, 0)
_LARGER = 1.15
_LONGEST_TITLE = 150
MAX_SECONDS = 120.0
_PROCESS = WorkerProcess("hoptrail.indexing.loading.readers.pdf_worker")
atexit.register(_PROCESS.end)
_LEAST_ROWS = 3


def read_pdf(path: Path) -> Content:
    """Return the pages of a PDF file; those without usable text are pictures to be recognised.

    Raises:
        InputError: If the file is damaged, locked, too long or too costly.
    """
    return _content(path, every_page=False)


def read_pdf_as_pictures(path: Path) -> Content:
    """Return a PDF file as `read_pdf`, every page also as a picture to be recognised.

    Raises:
        InputError: As for `read_pdf`.
    """
    return _content(path, every_page=True)


def _content(path: Path, *, every_page: bool) -> Content:
    found = _pdf_text(path)
    given = meant_title(found.title)
    largest = "" if given or not found.pages else _largest_lines(found.pages[0])
    blocks = tuple(_blocks(without_running_lines(found.pages)))
    told = guess_title(blocks[0].text, path.stem) if blocks else ""
    places = [block.place for block in blocks]
    pictures = []
    for at, unread in enumerate(found.unread):
        if reason := unread or (_ASKED if every_page else ""):
            name = f"page {at + 1}"
            before = sum(_number(place) <= at for place in places)
            pictures.append(Picture(name, before, reason, path, at))
    return Content(
        given or largest or told,
        blocks,
        metadata=_created(found.created),
        pictures=tuple(pictures),
    )


def _number(place: str) -> int:
    return int(place.rpartition(" ")[2])


def _created(told: str) -> dict[str, str]:
    """Return when the file was made, nothing where it does not tell that in a date's form."""
    match = _DATE.match(told)
    if match is None:
        return {}
    year, month, day, hour, minute, second = (
        int(one) if one else least for one, least in zip(match.groups()[:6], _FIRST, strict=True)
    )
    sign, hours, minutes = match.groups()[6:]
    away = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    try:
        moment = datetime(year, month, day, hour, minute, second) - (-away if sign == "-" else away)
    except (ValueError, OverflowError):
        return {}
    return date_metadata("created", moment)


def _blocks(pages: Sequence[Sequence[Line]]) -> Iterator[Block]:
    """Yield the pages' texts; a sentence that goes on at the top of a page is not cut."""
    known = known_words(line.text for page in pages for line in page)
    before = ""
    for number, page in enumerate(pages, start=1):
        for lines, rows in parts_of_page(page):
            yield from (replace(row, place=f"page {number}") for row in rows)
            if rows or not (text := unwrapped(lines, known)):
                before = "" if rows else before
                continue
            continues = bool(before) and not before.endswith(_ENDED) and text[0].islower()
            yield Block(text, f"page {number}", continues)
            before = text


def _largest_lines(page: Sequence[Line]) -> str:
    """Return the first lines in the largest letters of a page, empty where no line stands out."""
    upright = [line for line in page if not line.is_turned]
    letters: Counter[float] = Counter()
    for line in upright:
        letters[round(line.size, 1)] += len(line.text)
    if not letters:
        return ""
    largest, usual = max(letters), letters.most_common(1)[0][0]
    if largest < _LARGER * usual:
        return ""
    runs = groupby(upright, key=lambda line: round(line.size, 1) == largest)
    title = " ".join(next([line.text for line in run] for is_largest, run in runs if is_largest))
    return title if len(title) <= _LONGEST_TITLE else ""


@dataclass(frozen=True, slots=True)
class _PdfText:
    """The lines of each page of a file, and its title and date as its metadata tell them.

    `unread` tells for each page why its lines are not what it shows, empty where they are.
    """

    pages: tuple[tuple[Line, ...], ...]
    title: str
    created: str
    unread: tuple[str, ...]


def _pdf_text(path: Path) -> _PdfText:
    """Return the lines of a PDF file.

    Raises:
        InputError: If it is damaged, locked or too long, or takes more than `MAX_SECONDS` or
            `MAX_MEMORY` to read.
    """
    try:
        told = _PROCESS.answer(os.path.abspath(path), MAX_SECONDS)
    except TimeoutError as error:
        raise InputError(f"takes more than {MAX_SECONDS:.0f} seconds to read") from error
    except EOFError as error:
        most = f"{MAX_MEMORY >> 30} GiB of memory"
        raise InputError(f"damaged, or takes more than {most}") from error
    if "reason" in told:
        raise InputError(told["reason"])
    pages = tuple(tuple(Line(*line) for line in page) for page in told["pages"])
    return _PdfText(pages, told["title"], told["created"], tuple(told["unread"]))


def parts_of_page(lines: Sequence[Line]) -> Iterator[tuple[list[Line], list[Block]]]:
    """Yield runs of a page's lines, each with the rows of the table that they are, if they are one.

    Only what has the head of a table, and two rows below it, is one; all else stays lines.
    """
    upright = [line for line in lines if not line.is_turned]
    rows = [_row(line) for line in upright]
    of_row = {id(row): line for row, line in zip(rows, upright, strict=True)}
    prose: list[Line] = []
    for is_table, run in tables_and_prose(rows):
        own = [of_row[id(row)] for row in run]
        blocks = table_blocks_of(run) if is_table and len(run) >= _LEAST_ROWS else []
        if not blocks:
            prose += own
            continue
        if prose:
            yield prose, []
        prose = []
        yield own, blocks
    prose += [line for line in lines if line.is_turned]
    if prose:
        yield prose, []


def _row(line: Line) -> Row:
    cells = line.cells or ((line.text, line.left, line.right),)
    height = -line.baseline  # it counts downwards
    return Row([Piece.printed(text, left, right, height, line.size) for text, left, right in cells])
