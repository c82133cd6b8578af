"""Documents and the chunks they are cut into."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from hoptrail.core.types.record import Record


@dataclass(frozen=True, slots=True)
class Document(Record):
    """One source text. `id` is `<source>/<local id>`."""

    id: str
    title: str
    text: str
    source: str = ""
    uri: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)

    @property
    def content_hash(self) -> str:
        """Hash of title and text: decides whether a document is unchanged."""
        return hashlib.sha256(f"{self.title}\0{self.text}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Chunk(Record):
    """A passage: `text` equals the document's characters `start` to `end`."""

    id: str
    doc_id: str
    title: str
    text: str
    start: int
    end: int
    tokens: int = 0

    @property
    def embedded_text(self) -> str:
        """The text that is embedded for this passage: its title and its text."""
        return f"{self.title}\n{self.text}"

    @staticmethod
    def make_id(doc_id: str, start: int, end: int, text: str) -> str:
        """Return the chunk id: 16 hexadecimal digits over place and content."""
        key = f"{doc_id}\0{start}\0{end}\0{text}"
        return hashlib.sha256(key.encode()).hexdigest()[:16]
