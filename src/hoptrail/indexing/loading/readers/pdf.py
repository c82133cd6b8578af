"""PDF: the text of the pages without what every page repeats, its hyphens mended."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.text import ends_on_purpose
from hoptrail.indexing.loading.metadata import date_metadata
from hoptrail.indexing.loading.readers.content import Block, Content
from hoptrail.indexing.loading.readers.pdf_lines import Line
from hoptrail.indexing.loading.readers.pdf_process import pdf_text
from hoptrail.indexing.loading.readers.running_lines import without_running_lines
from hoptrail.indexing.loading.readers.titles import guess_title, meant_title

_OCR = "holds no text: a picture? Run OCR over the file, for example with OCRmyPDF"
_WORD = re.compile(r"\w+(?:-\w+)*")
_SPLIT_WORD = re.compile(r"(\W{0,3}\w{2,40})[-\u00ad\u2010]\n(\w{2,40})(.*)")
_NEIGHBOURS = 3  # lines above and below
_ENDED = (".", "!", "?", ":", ";", "”", '"', ")")
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([-+Z])(\d\d)?'?(\d\d)?)?")
_FIRST = (1, 1, 1, 0, 0, 0)
_LARGER = 1.15
_LONGEST_TITLE = 150


def read_pdf(path: Path) -> Content:
    """Return the pages of a PDF file that hold text; the others are named.

    Raises:
        InputError: If the file is damaged, locked, too long or too costly, or holds no text at all.
    """
    found = pdf_text(path)
    if not any(found.pages):
        raise InputError(_OCR)
    given = meant_title(found.title)
    largest = "" if given else _largest_lines(found.pages[0])
    blocks = tuple(_blocks(without_running_lines(found.pages)))
    title = given or largest or guess_title(blocks[0].text if blocks else "", path.stem)
    missing = tuple(
        (f"page {number}", _OCR) for number, page in enumerate(found.pages, 1) if not page
    )
    return Content(title, blocks, missing, _created(found.created))


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
    known = Counter(
        word for page in pages for line in page for word in _WORD.findall(line.text.lower())
    )
    before = ""
    for number, page in enumerate(pages, start=1):
        text = _unwrapped(page, known)
        if not text:
            continue
        continues = bool(before) and not before.endswith(_ENDED) and text[0].islower()
        yield Block(text, f"page {number}", continues)
        before = text


def _unwrapped(lines: Sequence[Line], known: Counter[str]) -> str:
    """Return the lines of a page, those joined that were broken for want of room.

    Columns and headings differ in width, so a line is compared with its neighbours.
    """
    texts = [line.text for line in lines]
    parts: list[str] = []
    for at, line in enumerate(texts):
        if not parts:
            parts.append(line)
            continue
        before = lines[at - 1]
        neighbours = texts[max(0, at - 1 - _NEIGHBOURS) : at + _NEIGHBOURS]
        width = max(map(len, neighbours))
        split = _SPLIT_WORD.fullmatch(f"{parts[-1].rpartition(' ')[2]}\n{line}")
        if split is not None:
            parts[-1] = parts[-1].rpartition(" ")[0]
            parts.append(f" {_mended(split, known)}" if parts[-1] else _mended(split, known))
            continue
        stands_alone = lines[at].is_apart or lines[at].is_row or before.is_row
        ends = stands_alone or ends_on_purpose(before.text, line, width)
        parts.append(("\n" if ends else " ") + line)
    return "".join(parts).strip()


def _mended(split: re.Match[str], known: Counter[str]) -> str:
    """Return a line whose first word began on the line before, as the text else writes the word."""
    first, second, rest = split.groups()
    with_hyphen = f"{first}-{second}"
    keeps = known[with_hyphen.lower()] > known[(first + second).lower()]
    return (with_hyphen if keeps or not second[0].islower() else first + second) + rest


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
