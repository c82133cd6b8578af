"""PDF: the text of the pages without what every page repeats, its hyphens mended."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from pathlib import Path
from statistics import median

from hoptrail.core.errors import InputError
from hoptrail.core.text import ends_on_purpose
from hoptrail.indexing.loading.metadata import date_metadata
from hoptrail.indexing.loading.readers.content import Block, Content
from hoptrail.indexing.loading.readers.pdf_lines import Line
from hoptrail.indexing.loading.readers.pdf_process import pdf_text
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

_EDGE = 4  # lines at the top and at the bottom of a page that may be running ones
_REPEATED = 0.6  # of the pages
_SURE = 3  # pages
_SHIFT = 3.0  # points by which a running line may stand higher or lower on another page
_WIDE = 1.6  # of the letters' size: the distance between lines of a page that has few
_ROOM = 1.25  # of the usual distance between lines
_PAGE_NUMBER = re.compile(
    r"\W{0,5}(page|seite|p\.)?\s?(\d{1,4})(\s?(?:of|von|/|-)\s?\d{1,4})?\W{0,5}", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+")


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


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return the pages without the headers, footers and page numbers that most of them repeat.

    A running line stands at the edge of its page, at the same height on most pages. On fewer than
    three, and where its number differs, it must also stand apart from the text: the sentences of
    a form repeat as well.
    """
    repeated = _Repeated(pages)
    return [
        _without(page, repeated.running(page, number)) for number, page in enumerate(pages, start=1)
    ]


def _without(page: Sequence[Line], left_out: set[int]) -> list[Line]:
    return [line for line in page if id(line) not in left_out]


class _Repeated:
    """Counts on how many pages a line stands at the same height, its numbers aside or not."""

    def __init__(self, pages: Sequence[Sequence[Line]]) -> None:
        self._least = max(2, _REPEATED * sum(map(bool, pages)))
        self._counts: Counter[tuple[str, int]] = Counter()
        for page in pages:
            edges = [*_from_edge(page, top=True), *_from_edge(page, top=False)]
            texts = {(text, _height(line)) for line in edges for text in _texts(line)}
            self._counts.update(texts)

    def running(self, page: Sequence[Line], number: int) -> set[int]:
        """Return the identities of the running lines of a page."""
        step = _usual_step(page)
        running: set[int] = set()
        for top in (True, False):
            end = _from_edge(page, top=top)
            for at, (line, inner) in enumerate(pairwise(end)):
                is_number = _is_number(line.text, number)
                exact, key = map(self._count, _texts(line), [_height(line)] * 2)
                if max(exact, key) < self._least and not is_number:
                    break
                is_sure = exact >= max(self._least, _SURE)
                if is_number or is_sure or _is_apart(line, inner, step):
                    running.update(id(one) for one in end[: at + 1])
        return running

    def _count(self, text: str, height: int) -> int:
        return sum(self._counts[text, at] for at in range(height - 1, height + 2))


def _texts(line: Line) -> tuple[str, str]:
    """Return the text of a line, and with a sign in place of its numbers."""
    return line.text, f"#{_DIGITS.sub('#', line.text.lower())}"


def _height(line: Line) -> int:
    return round(line.baseline / _SHIFT)


def _from_edge(page: Sequence[Line], *, top: bool) -> list[Line]:
    """Return the first lines from the top or the bottom edge inwards, and the one behind them."""
    return sorted(page, key=lambda line: line.baseline, reverse=top)[: _EDGE + 1]


def _usual_step(page: Sequence[Line]) -> float:
    """Return the usual distance between lines of a page."""
    heights = sorted({round(line.baseline, 1) for line in page})
    steps = [above - below for below, above in pairwise(heights)]
    return median([step for step in steps if step > _SHIFT] or [0.0])


def _is_apart(line: Line, inner: Line, step: float) -> bool:
    """Return whether there is more room between a line and the next one than lines have."""
    return abs(inner.baseline - line.baseline) > _ROOM * min(step, _WIDE * inner.size)


def _is_number(line: str, page: int) -> bool:
    """Return whether a line says "Page 3", "3 of 9", or "3" on the third page."""
    match = _PAGE_NUMBER.fullmatch(line)
    return match is not None and bool(match[1] or match[3] or int(match[2]) == page)
