"""Recognised pages: where they are kept between runs, and their blocks of text, words placed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from statistics import median
from typing import Protocol

from hoptrail.indexing.loading.readers.content import Block, BlockWord, row_text
from hoptrail.indexing.loading.readers.page_layout import (
    are_labels,
    known_words,
    table_cells,
    tables_and_prose,
    unwrapped,
    without_running_lines,
)
from hoptrail.indexing.loading.readers.pdf_lines import Line
from hoptrail.indexing.loading.readers.tables import TooManyColumnsError, told_table
from hoptrail.indexing.loading.reading_order import (
    RecognisedPage,
    RecognisedWord,
    Row,
    rows_in_order,
    usual_step,
)

_PAGE_HEIGHT = 842.0  # points, which running lines are measured in
_LARGER = 1.25  # than the usual letters: a headline
_APART = 1.35  # of the usual distance between lines
_HYPHENS = "-\u00ad\u2010"
_ENDED = (".", "!", "?", ":", ";", "”", '"', ")")


@dataclass(frozen=True, slots=True)
class _Run:
    """Rows of a page that are a table, or lines of prose."""

    is_table: bool
    rows: list[Row]
    lines: list[Line]


def blocks_of_pages(
    pages: Sequence[RecognisedPage], places: Sequence[str]
) -> list[tuple[Block, ...]]:
    """Return the blocks of each page, without what all of them repeat at their edges.

    Args:
        pages: The pages of one document, in order.
        places: What each is called, such as "page 3".
    """
    runs = [_runs(page) for page in pages]
    lines = [[line for run in page for line in run.lines] for page in runs]
    kept = {
        id(line)
        for page, left in zip(lines, without_running_lines(lines), strict=True)
        for line in left or page  # pages of a form that say nearly the same are no headers
    }
    known = known_words(line.text for page in lines for line in page)
    found: list[tuple[Block, ...]] = []
    before = ""
    for page, place in zip(runs, places, strict=True):
        blocks: list[Block] = []
        for run in page:
            # The names of columns, repeated above a table on each page, are no running header.
            own = _table(run.rows) if run.is_table else _prose(run, kept, known)
            for block, words in own:
                continues = not blocks and _goes_on(before, block.text) and not run.is_table
                found_words = placed(block.text, words)
                blocks.append(replace(block, place=place, continues=continues, words=found_words))
        before = blocks[-1].text if blocks else before
        found.append(tuple(blocks))
    return found


def _goes_on(before: str, text: str) -> bool:
    return bool(before) and not before.endswith(_ENDED) and text[:1].islower()


def _runs(page: RecognisedPage) -> list[_Run]:
    runs = []
    for rows in rows_in_order(page):
        step = usual_step(rows)
        for is_table, own in tables_and_prose(rows):
            lines = [
                _line(row, own[at - 1] if at else None, step, page) for at, row in enumerate(own)
            ]
            runs.append(_Run(is_table, own, lines))
    return runs


def _line(row: Row, before: Row | None, step: float, page: RecognisedPage) -> Line:
    """Return a row as a line of a PDF page: in points, from the lower left corner."""
    scale = _PAGE_HEIGHT / max(1, page.height)
    bottom = max(piece.bottom for piece in row.pieces)
    is_apart = before is not None and row.middle - before.middle > _APART * step
    return Line(
        row.text,
        row.pieces[0].left * scale,
        row.pieces[-1].right * scale,
        _PAGE_HEIGHT - bottom * scale,
        row.height * scale,
        False,
        len(row.pieces) > 1,
        is_apart,
    )


def _prose(
    run: _Run, kept: set[int], known: Counter[str]
) -> Iterator[tuple[Block, list[RecognisedWord]]]:
    """Yield the lines of a run as blocks, those in larger letters above the others apart."""
    pairs = [(line, row) for line, row in zip(run.lines, run.rows, strict=True) if id(line) in kept]
    if not pairs:
        return
    least = _LARGER * median(line.size for line, _ in pairs)
    head = list(takewhile(lambda pair: pair[0].size >= least, pairs))
    for part in (head, pairs[len(head) :]):
        if part:
            words = [word for _, row in part for piece in row.pieces for word in piece.words]
            yield Block(unwrapped([line for line, _ in part], known)), words


def _table(rows: Sequence[Row]) -> Iterator[tuple[Block, list[RecognisedWord]]]:
    """Yield the rows of a table as blocks, each with the words of its cells.

    A row's text has the names of the columns, whose words stand in the first row.
    """
    cells = table_cells(rows)
    texts = [[" ".join(piece.text for piece in cell) for cell in row] for row in cells]
    words = [[word for cell in row for piece in cell for word in piece.words] for row in cells]
    if are_labels(texts):
        for row, own in zip(texts, words, strict=True):
            name, value = row[0].rstrip(" :"), row[1]
            yield Block(f"{name}: {value}" if name and value else name or value), own
        return
    try:
        for told in told_table(texts):
            yield told.block(), words[told.number - 1]
    except TooManyColumnsError:
        for at, row in enumerate(texts):
            if text := row_text([""] * len(row), row):
                yield Block(text), words[at]


def placed(text: str, words: Sequence[RecognisedWord]) -> tuple[BlockWord, ...]:
    """Return where words stand in a text that holds them in this order, and more.

    A word that a hyphen splits stands in it as two parts; one that is not found is left out.
    """
    found: list[BlockWord] = []
    at = 0
    for word in words:
        for wanted in (word.text, word.text.rstrip(_HYPHENS)):
            begin = _found(text, wanted, at)
            if begin >= 0:
                at = begin + len(wanted)
                found.append(BlockWord(begin, at, word.box, word.confidence))
                break
    return tuple(found)


def _found(text: str, word: str, start: int) -> int:
    """Return where a word stands next, not within another one; -1 where it does not."""
    if not word:
        return -1
    begin = text.find(word, start)
    first = begin
    while begin >= 0:
        is_within = begin > start and begin > 0 and text[begin - 1].isalnum() and word[0].isalnum()
        if not is_within:
            return begin
        begin = text.find(word, begin + 1)
    return first


class ScanShelf(Protocol):
    """Keeps recognised pictures by their hash; a knowledge base is one."""

    def known_scans(self, recogniser: str) -> set[str]:
        """Return the hashes of the pictures that a recogniser has read."""
        ...

    def scan(self, picture: str) -> str | None:
        """Return what was recognised in a picture, as it was put."""

    def put_scan(self, picture: str, recogniser: str, page: str, shown: bytes) -> None:
        """Keep what was recognised in a picture.

        Args:
            picture: Its hash.
            recogniser: Who read it.
            page: The `RecognisedPage` as JSON.
            shown: The picture as it is shown, WebP.
        """


class MemoryShelf:
    """Keeps recognised pictures for as long as it lives."""

    def __init__(self) -> None:
        self._pages: dict[str, tuple[str, str, bytes]] = {}

    def known_scans(self, recogniser: str) -> set[str]:
        """Return the hashes of the pictures that a recogniser has read."""
        return {hash_ for hash_, kept in self._pages.items() if kept[0] == recogniser}

    def scan(self, picture: str) -> str | None:
        """Return what was recognised in a picture, as it was put."""
        kept = self._pages.get(picture)
        return None if kept is None else kept[1]

    def put_scan(self, picture: str, recogniser: str, page: str, shown: bytes) -> None:
        """Keep what was recognised in a picture."""
        self._pages[picture] = (recogniser, page, shown)


class SecondShelf:
    """A shelf that also knows what lies on another one, to which nothing is put.

    Args:
        own: Keeps what is put.
        other: Looked at where `own` has not read a picture.
    """

    def __init__(self, own: ScanShelf, other: ScanShelf) -> None:
        self._own = own
        self._other = other

    def known_scans(self, recogniser: str) -> set[str]:
        """Return the hashes of the pictures that a recogniser has read."""
        return self._own.known_scans(recogniser) | self._other.known_scans(recogniser)

    def scan(self, picture: str) -> str | None:
        """Return the text of a picture, as it was put."""
        found = self._own.scan(picture)
        return self._other.scan(picture) if found is None else found

    def put_scan(self, picture: str, recogniser: str, page: str, shown: bytes) -> None:
        """Keep what was recognised in a picture."""
        self._own.put_scan(picture, recogniser, page, shown)


def page_of(stored: str) -> RecognisedPage:
    """Return a page as it was put on a shelf."""
    import json

    return RecognisedPage.from_json(json.loads(stored))
