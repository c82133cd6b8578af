"""PDF: the text of the pages without what every page repeats, its hyphens mended."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoptrail.core.errors import InputError
from hoptrail.core.text import ends_on_purpose
from hoptrail.indexing.loading.metadata import date_metadata
from hoptrail.indexing.loading.readers.content import Block, Content
from hoptrail.indexing.loading.readers.titles import guess_title, meant_title

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

MAX_PAGES = 5_000
_OCR = "holds no text: a picture? Run OCR over the file, for example with OCRmyPDF"
_EDGE = 3  # lines at the top and at the bottom of a page that may be running ones
_REPEATED = 0.6  # of the pages
_PAGE_NUMBER = re.compile(
    r"\W{0,5}(page|seite|p\.)?\s?(\d{1,4})(\s?(?:of|von|/|-)\s?\d{1,4})?\W{0,5}", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"\w+(?:-\w+)*")
_SPLIT_WORD = re.compile(r"(\W{0,3}\w{2,40})[-\u00ad\u2010]\n(\w{2,40})(.*)")
_NEIGHBOURS = 3  # lines above and below
_ENDED = (".", "!", "?", ":", ";", "”", '"', ")")
_LARGER = 1.15
_LONGEST_TITLE = 150


def read_pdf(path: Path) -> Content:
    """Return the pages of a PDF file that hold text; the others are named.

    Raises:
        InputError: If the file is damaged, locked, too long, or holds no text at all.
    """
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    try:
        reader = PdfReader(path)
        _unlock(reader)
        count = len(reader.pages)
        if count > MAX_PAGES:
            raise InputError(f"{count:,} pages, more than {MAX_PAGES:,}")
        pages = [page.extract_text() for page in reader.pages]
        given = meant_title(str(reader.metadata.title or "") if reader.metadata else "")
        largest = "" if given or not pages else _largest_lines(reader.pages[0])
    except InputError:
        raise
    except DependencyError as error:
        hint = 'pip install "hoptrail[documents]"'
        raise InputError(f"encrypted in a way that needs a further package: {hint}") from error
    # The parser raises whatever it stumbles over in a damaged file.
    except Exception as error:
        told = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"not a readable PDF: {told}") from error
    if not any(page.strip() for page in pages):
        raise InputError(_OCR)
    blocks = tuple(_blocks(_without_running_lines(pages)))
    title = given or largest or guess_title(blocks[0].text if blocks else "", path.stem)
    missing = tuple(
        (f"page {number}", _OCR) for number, page in enumerate(pages, 1) if not page.strip()
    )
    return Content(title, blocks, missing, _created(reader))


def _created(reader: PdfReader) -> dict[str, str]:
    """Return when the file was made, nothing where it does not tell that in a date's form."""
    try:
        return date_metadata("created", reader.metadata.creation_date if reader.metadata else None)
    except (ValueError, TypeError, OverflowError):
        return {}


def _unlock(reader: PdfReader) -> None:
    """Open a file that is encrypted without a password for reading.

    Raises:
        InputError: If it has one.
    """
    if reader.is_encrypted and not reader.decrypt(""):
        raise InputError("protected by a password: save a copy without it")


def _blocks(pages: Sequence[str]) -> Iterator[Block]:
    """Yield the pages' texts; a sentence that goes on at the top of a page is not cut."""
    known = Counter(word for page in pages for word in _WORD.findall(page.lower()))
    before = ""
    for number, page in enumerate(pages, start=1):
        text = _unwrapped(page.split("\n"), known)
        if not text:
            continue
        continues = bool(before) and not before.endswith(_ENDED) and text[0].islower()
        yield Block(text, f"page {number}", continues)
        before = text


def _unwrapped(lines: Sequence[str], known: Counter[str]) -> str:
    """Return the lines of a page, those joined that were broken for want of room.

    Columns and headings differ in width, so a line is compared with its neighbours.
    """
    stripped = [line.strip() for line in lines if line.strip()]
    parts: list[str] = []
    for at, line in enumerate(stripped):
        if not parts:
            parts.append(line)
            continue
        before = stripped[at - 1]
        neighbours = stripped[max(0, at - 1 - _NEIGHBOURS) : at + _NEIGHBOURS]
        width = max(map(len, neighbours))
        split = _SPLIT_WORD.fullmatch(f"{parts[-1].rpartition(' ')[2]}\n{line}")
        if split is not None:
            parts[-1] = parts[-1].rpartition(" ")[0]
            parts.append(f" {_mended(split, known)}" if parts[-1] else _mended(split, known))
        else:
            parts.append(("\n" if ends_on_purpose(before, line, width) else " ") + line)
    return "".join(parts).strip()


def _mended(split: re.Match[str], known: Counter[str]) -> str:
    """Return a line whose first word began on the line before, as the text else writes the word."""
    first, second, rest = split.groups()
    with_hyphen = f"{first}-{second}"
    keeps = known[with_hyphen.lower()] > known[(first + second).lower()]
    return (with_hyphen if keeps or not second[0].islower() else first + second) + rest


def _without_running_lines(pages: Sequence[str]) -> list[str]:
    """Return the pages without the headers, footers and page numbers that most of them repeat."""
    split = [[line for line in page.split("\n") if line.strip()] for page in pages]
    filled = [lines for lines in split if lines]
    counts = Counter(key for lines in filled for key in {_key(lines[at]) for at in _edges(lines)})
    least = max(2, _REPEATED * len(filled))
    kept = []
    for number, lines in enumerate(split, start=1):
        edges = set(_edges(lines))
        kept.append(
            "\n".join(
                line
                for at, line in enumerate(lines)
                if at not in edges or not (counts[_key(line)] >= least or _is_number(line, number))
            )
        )
    return kept


def _edges(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines where running ones may stand."""
    return [at for at in range(len(lines)) if at < _EDGE or at >= len(lines) - _EDGE]


def _is_number(line: str, page: int) -> bool:
    """Return whether a line says "Page 3", "3 of 9", or "3" on the third page."""
    match = _PAGE_NUMBER.fullmatch(line)
    return match is not None and bool(match[1] or match[3] or int(match[2]) == page)


def _key(line: str) -> str:
    return _DIGITS.sub("#", " ".join(line.split()).lower())


def _largest_lines(page: PageObject) -> str:
    """Return the first lines in the largest letters of a page, empty where no line stands out."""
    sizes: list[tuple[float, str]] = []

    def visit(text: str, _matrix: Any, scale: Sequence[float], _font: Any, size: float) -> None:
        if text.strip():
            sizes.append((round(float(size or 0) * abs(scale[3] or 1), 1), text))

    page.extract_text(visitor_text=visit)
    if not sizes:
        return ""
    letters: Counter[float] = Counter()
    for size, text in sizes:
        letters[size] += len(text)
    largest, usual = max(letters), letters.most_common(1)[0][0]
    if largest < _LARGER * usual:
        return ""
    runs = groupby(sizes, key=lambda shown: shown[0])
    first = next([text for _, text in run] for size, run in runs if size == largest)
    title = " ".join(" ".join(first).split())
    return title if len(title) <= _LONGEST_TITLE else ""
