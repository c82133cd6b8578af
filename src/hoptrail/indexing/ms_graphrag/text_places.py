"""Finds the text units of an index in their documents, so that each knows its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Chunk, Document
from hoptrail.indexing.ms_graphrag.folder import GivenIndex
from hoptrail.indexing.ms_graphrag.records import TextUnit

_METADATA = re.compile(r"\w[\w ]*: .*\.\s*")
_SEPARATOR = "\n\n"
_BROKEN_ENDS = "\ufffd"  # where a cut between tokens went through a character

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A document with its text units as chunks; `chunk_ids` are by the id of the unit."""

    document: Document
    chunks: tuple[Chunk, ...]
    chunk_ids: dict[str, str]


def place_texts(index: GivenIndex, source: str, uri: str) -> Iterator[PlacedText]:
    """Yield the documents of an index that have text units.

    Microsoft GraphRAG may put lines such as `title: NAME.` before a unit's text; they are no part
    of the document and left out. A document in which a unit is not found gets the text of its
    units, one after the other.

    Args:
        index: The index.
        source: First part of the document ids.
        uri: Where the index is.
    """
    units: dict[str, list[TextUnit]] = {}
    for unit in index.units:
        if unit.documents and unit.text.strip():
            units.setdefault(unit.documents[0], []).append(unit)
    for given in index.documents:
        if given.id not in units:
            continue
        own = units[given.id]
        text = given.text
        spans = _spans(text, own)
        if spans is None:
            text, spans = _joined(own)
        document = Document(f"{source}/{given.id}", given.title, text, source, uri)
        yield _placed(document, own, spans)


def _spans(text: str, units: Sequence[TextUnit]) -> list[Span] | None:
    """Return where the units stand in a text, None if one does not."""
    spans: list[Span] = []
    begin = 0
    for unit in units:
        span = _find(text, unit.text, begin)
        if span is None:
            return None
        spans.append(span)
        begin = span[0] + 1
    return spans


def _find(text: str, unit: str, begin: int) -> Span | None:
    """Return where a unit stands, from `begin` on or else anywhere, if need be without metadata."""
    while wanted := unit.strip(_BROKEN_ENDS).strip():
        place = text.find(wanted, begin)
        if place < 0:
            place = text.find(wanted)
        if place >= 0:
            return place, place + len(wanted)
        line, _, unit = unit.partition("\n")
        if not _METADATA.fullmatch(line):
            return None
    return None


def _joined(units: Sequence[TextUnit]) -> tuple[str, list[Span]]:
    """Return the texts of the units one after the other, and where each stands."""
    spans: list[Span] = []
    begin = 0
    for unit in units:
        spans.append((begin, begin + len(unit.text)))
        begin += len(unit.text) + len(_SEPARATOR)
    return _SEPARATOR.join(unit.text for unit in units), spans


def _placed(document: Document, units: Sequence[TextUnit], spans: Sequence[Span]) -> PlacedText:
    chunks: dict[str, Chunk] = {}
    chunk_ids: dict[str, str] = {}
    for unit, (start, end) in zip(units, spans, strict=True):
        text = document.text[start:end]
        id_ = Chunk.make_id(document.id, start, end, text)
        tokens = estimate_tokens(text)
        chunks[id_] = Chunk(id_, document.id, document.title, text, start, end, tokens)
        chunk_ids[unit.id] = id_
    return PlacedText(document, tuple(chunks.values()), chunk_ids)
