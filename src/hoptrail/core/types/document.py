"""Documents, the chunks they are cut into, and the tables and recognised pages they hold."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from hoptrail.core.types.record import Record

RowKind = Literal["row", "total"]
"""A row that tells of a thing, or one that sums others up."""

UNSURE = 0.9
"""A word whose confidence is lower may have been misread (benchmarks/NOTES.md, scans)."""

Quad = tuple[int, int, int, int, int, int, int, int]
"""Four corners in pixels as x, y: from where reading begins, clockwise."""
Spans = tuple[tuple[int, int], ...]
"""Characters of a document as (start, end), in order."""

Places = tuple[tuple[int, str], ...]
"""Where each named place of a text begins, in order: (character offset, name such as "page 3")."""
BELOW = " › "
"""Stands between a title or heading and the one below it."""


@dataclass(frozen=True, slots=True)
class TableRow(Record):
    """One row: the document's characters `start` to `end` tell it.

    `cells` are texts by column, empty where nothing stands. `section` is the line within the table
    that the row stands under, such as "Northern depots".
    """

    start: int
    end: int
    cells: tuple[str, ...]
    kind: RowKind = "row"
    section: str = ""


@dataclass(frozen=True, slots=True)
class TablePart(Record):
    """Rows of one table that stand in one text: a document has all of them, a passage some.

    `number` tells the tables of a document apart, from 1. `name` is such as the sheet's; `columns`
    are the heads, those of several rows joined, empty where a column has none.
    """

    number: int
    name: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]


Tables = tuple[TablePart, ...]


def tables_within(tables: Tables, start: int, end: int) -> Tables:
    """Return the parts of tables whose rows begin within the characters `start` to `end`."""
    parts = (replace(part, rows=_within(part.rows, start, end)) for part in tables)
    return tuple(part for part in parts if part.rows)


def _within(rows: tuple[TableRow, ...], start: int, end: int) -> tuple[TableRow, ...]:
    return rows[bisect_left(rows, start, key=_start) : bisect_left(rows, end, key=_start)]


def _start(row: TableRow) -> int:
    return row.start


def tables_text(tables: Tables) -> str:
    """Return parts of tables as text, which `tables_of` reads: JSON without names of fields."""
    parts = [
        [
            part.number,
            part.name,
            part.columns,
            [
                [kind, section, [[row.start, row.end, *row.cells] for row in rows]]
                for (kind, section), rows in groupby(
                    part.rows, key=lambda row: (row.kind, row.section)
                )
            ],
        ]
        for part in tables
    ]
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))


def tables_of(text: str) -> Tables:
    """Return the parts that `tables_text` wrote.

    Raises:
        ValueError: If it did not write this text.
        TypeError: The same.
    """
    return tuple(
        TablePart(int(number), str(name), tuple(columns), tuple(_rows(runs)))
        for number, name, columns, runs in json.loads(text)
    )


def _rows(runs: Sequence[tuple[RowKind, str, Sequence[Sequence[str | int]]]]) -> list[TableRow]:
    return [
        TableRow(int(start), int(end), tuple(map(str, cells)), kind, section)
        for kind, section, rows in runs
        for start, end, *cells in rows
    ]


@dataclass(frozen=True, slots=True)
class ScannedWord(Record):
    """The characters `start` to `end` of a document as a page picture shows them.

    `confidence` is the recogniser's, from 0 to 1.
    """

    start: int
    end: int
    box: Quad
    confidence: float


@dataclass(frozen=True, slots=True)
class ScannedPage(Record):
    """A page of a document that was recognised from a picture, upright.

    `place` is the page as the document's places name it, `picture` the hash of its picture,
    `width` and `height` are the picture's in pixels: boxes count in them.
    """

    number: int
    place: str
    picture: str
    width: int
    height: int
    words: tuple[ScannedWord, ...] = ()

    def words_within(self, start: int, end: int) -> tuple[ScannedWord, ...]:
        """Return the words that the document's characters `start` to `end` touch."""
        return tuple(word for word in self.words if word.start < end and start < word.end)


def unsure_spans(pages: Iterable[ScannedPage]) -> Spans:
    """Return the characters of the words of pages that may have been misread, in order."""
    return tuple(
        sorted(
            (word.start, word.end)
            for page in pages
            for word in page.words
            if word.confidence < UNSURE
        )
    )


def spans_within(spans: Spans, start: int, end: int) -> Spans:
    """Return the spans that the characters `start` to `end` touch."""
    return tuple(span for span in spans if span[0] < end and start < span[1])


def marked_text(text: str, start: int, unsure: Spans) -> str:
    """Return a text with "(?)" behind each word that may have been misread.

    Args:
        text: A part of a document.
        start: The document's character that it begins with.
        unsure: Characters of the document.
    """
    for _, end in sorted(unsure, reverse=True):
        if start < end <= start + len(text):
            text = f"{text[: end - start]}(?){text[end - start :]}"
    return text


def place_of(places: Places, start: int, end: int) -> str | None:
    """Return the name of the place of the characters `start` to `end`, None where it has none.

    Characters of several places are at "pages 3-4", or "sheet Prices to sheet Paint".
    """
    own = [name for _, name in places_within(places, start, end) if name]
    if not own:
        return None
    return own[0] if own[0] == own[-1] else _range(own[0], own[-1])


def places_within(places: Places, start: int, end: int) -> Places:
    """Return the places of the characters `start` to `end`, the first beginning at `start`."""
    first = bisect_right(places, start, key=_offset) - 1
    last = bisect_right(places, max(start, end - 1), key=_offset)
    return tuple((max(start, offset), name) for offset, name in places[max(first, 0) : last])


def _offset(place: tuple[int, str]) -> int:
    return place[0]


def _range(first: str, last: str) -> str:
    (kind, _, begin), (last_kind, _, finish) = first.rpartition(" "), last.rpartition(" ")
    if kind and kind == last_kind and begin.isdecimal() and finish.isdecimal():
        return f"{kind}s {begin}-{finish}"
    return f"{first} to {last}"


@dataclass(frozen=True, slots=True)
class Document(Record):
    """One source text. `id` is `<source>/<local id>`; `places` are the places that it names.

    `tables` are the rows of its tables, each with its place in the text, `scans` its pages that
    were recognised from pictures.
    """

    id: str
    title: str
    text: str
    source: str = ""
    uri: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    places: Places = ()
    tables: Tables = ()
    scans: tuple[ScannedPage, ...] = ()

    @property
    def content_hash(self) -> str:
        """Hash of title and text: decides whether a document is unchanged."""
        return hashlib.sha256(f"{self.title}\0{self.text}".encode()).hexdigest()[:32]

    def place(self, start: int, end: int) -> str | None:
        """Return the place of the characters `start` to `end`, such as "page 3", if it has one."""
        return place_of(self.places, start, end)

    def places_within(self, start: int, end: int) -> Places:
        """Return the places of the characters `start` to `end`."""
        return places_within(self.places, start, end)

    def tables_within(self, start: int, end: int) -> Tables:
        """Return the rows of tables that begin within the characters `start` to `end`."""
        return tables_within(self.tables, start, end)


@dataclass(frozen=True, slots=True)
class Chunk(Record):
    """A passage: `text` equals the document's characters `start` to `end`.

    `places` and `tables` are the document's within it, `unsure` the words of a picture that may
    have been misread, all by offsets in the document. `section` are the headings that it stands
    under, such as "Leave › Parental leave", empty without one.
    """

    id: str
    doc_id: str
    title: str
    text: str
    start: int
    end: int
    tokens: int = 0
    places: Places = ()
    tables: Tables = ()
    unsure: Spans = ()
    section: str = ""

    @property
    def title_path(self) -> str:
        """The document's title, and the headings that the passage stands under."""
        return f"{self.title}{BELOW}{self.section}" if self.section else self.title

    @property
    def place(self) -> str | None:
        """Where the passage stands, such as "pages 3-4"; None where nothing is known of it."""
        return place_of(self.places, self.start, self.end)

    def place_of(self, start: int, end: int) -> str | None:
        """Return where the document's characters `start` to `end`, of this passage, stand."""
        return place_of(self.places, start, end)

    def unsure_of(self, start: int, end: int) -> Spans:
        """Return the words of the document's characters `start` to `end` that may be misread."""
        return spans_within(self.unsure, start, end)

    @property
    def embedded_text(self) -> str:
        """The text that is embedded for this passage: its title with headings, and its text."""
        return f"{self.title_path}\n{self.text}"

    @property
    def is_as_made(self) -> bool:
        """Whether place and text are those that the id was made of."""
        return self.id == self.make_id(self.doc_id, self.start, self.end, self.text)

    @staticmethod
    def make_id(doc_id: str, start: int, end: int, text: str) -> str:
        """Return the chunk id: 16 hexadecimal digits over place and content."""
        key = f"{doc_id}\0{start}\0{end}\0{text}"
        return hashlib.sha256(key.encode()).hexdigest()[:16]
