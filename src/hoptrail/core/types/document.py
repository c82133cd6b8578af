"""Documents and the chunks they are cut into."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass, field

from hoptrail.core.types.record import Record
from hoptrail.core.types.scan import ScannedPage, Spans, spans_within
from hoptrail.core.types.table import Tables, tables_within

Places = tuple[tuple[int, str], ...]
"""Where each named place of a text begins, in order: (character offset, name such as "page 3")."""
BELOW = " › "
"""Stands between a title or heading and the one below it."""


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

    @staticmethod
    def make_id(doc_id: str, start: int, end: int, text: str) -> str:
        """Return the chunk id: 16 hexadecimal digits over place and content."""
        key = f"{doc_id}\0{start}\0{end}\0{text}"
        return hashlib.sha256(key.encode()).hexdigest()[:16]
