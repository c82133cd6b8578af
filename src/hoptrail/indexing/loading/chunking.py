"""Cuts documents into passages that know their place in the text."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator

from hoptrail.core.conversation import is_conversation, section_spans
from hoptrail.core.text import clipped, sentence_spans
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Chunk, Document
from hoptrail.core.types.document import BELOW, Spans, spans_within, unsure_spans

CHUNK_TOKENS = 300
_TINY_SHARE = 0.2
_BREAK = 8  # characters
_HEADING = re.compile(
    r"(?:(?<=\n\n)|(?<![\s\S]))(?P<marks>#{1,6}) (?P<text>\S[^\n]*)(?=\n\n|\n?\Z)"
)
_DEEPEST = 6
_LONGEST_HEADING = 80  # characters
_WORD_AND_SPACE = re.compile(r"\S+\s*")

Span = tuple[int, int]
Piece = tuple[int, int, int]  # a span and its tokens


def chunk_document(document: Document, max_tokens: int = CHUNK_TOKENS) -> list[Chunk]:
    """Return the document's chunks in order: whole sentences up to `max_tokens`, no overlap.

    A conversation is cut between its messages, and each chunk begins with their date.
    A text that fits is one chunk; a longer sentence is cut between words; a last chunk below a
    fifth of `max_tokens` joins the one before it, which may then exceed the size by that much.
    """
    unsure = unsure_spans(document.scans)
    spans = chunk_spans(document.text, max_tokens=max_tokens)
    sections = _sections(document, spans) if len(spans) > 1 else [""]
    return [
        _make_chunk(document, start, end, unsure, section)
        for (start, end), section in zip(spans, sections, strict=False)
    ]


def chunk_spans(text: str, *, max_tokens: int) -> list[Span]:
    """Return the character offsets of the chunks of a text."""
    start, end = _trimmed(text)
    if start == end:
        return []
    if estimate_tokens(text[start:end]) <= max_tokens:
        return [(start, end)]
    pieces = _pieces(text, sentence_spans(text), max_tokens)
    if is_conversation(text[start:end]):
        pieces = _pieces(text, section_spans(text), max_tokens)
    packed = _pack(text, pieces, max_tokens)
    last = slice(packed[-2][1] if len(packed) > 1 else start, end)
    if len(packed) > 1 and estimate_tokens(text[last]) < _TINY_SHARE * max_tokens:
        packed[-2:] = [(packed[-2][0], packed[-1][1])]
    return packed


def _make_chunk(document: Document, start: int, end: int, unsure: Spans, section: str) -> Chunk:
    text = document.text[start:end]
    identity = Chunk.make_id(document.id, start, end, text)
    tokens = estimate_tokens(text)
    places = document.places_within(start, end)
    tables = document.tables_within(start, end)
    return Chunk(
        identity,
        document.id,
        document.title,
        text,
        start,
        end,
        tokens,
        places,
        tables,
        spans_within(unsure, start, end),
        section,
    )


def _sections(document: Document, spans: Iterable[Span]) -> Iterator[str]:
    """Yield for each span the headings above it that it stands under, the title's left out.

    Those that stand in the span itself are part of its text.
    """
    above: list[tuple[int, str]] = []  # levels rise
    headings = deque(_HEADING.finditer(document.text))
    for start, _ in spans:
        while headings and headings[0].start() < start:
            _enter(above, headings.popleft())
        first = headings[0] if headings and headings[0].start() == start else None
        level = len(first["marks"]) if first is not None else _DEEPEST + 1
        named = (text for own, text in above if own < level and text != document.title)
        yield BELOW.join(clipped(text, _LONGEST_HEADING) for text in named)


def _enter(above: list[tuple[int, str]], match: re.Match[str]) -> None:
    """Put a heading below those of higher levels."""
    level = len(match["marks"])
    while above and above[-1][0] >= level:
        above.pop()
    above.append((level, " ".join(match["text"].split())))


def _trimmed(text: str) -> Span:
    start = len(text) - len(text.lstrip())
    return start, max(start, len(text.rstrip()))


def _pack(text: str, pieces: Iterable[Piece], max_tokens: int) -> list[Span]:
    """Join consecutive pieces as long as they fit together."""
    packed: list[Span] = []
    used = 0
    for start, end, tokens in pieces:
        between = _between(text, packed[-1][1], start) if packed else 0
        if packed and used + between + tokens <= max_tokens:
            packed[-1] = (packed[-1][0], end)
            used += between + tokens
        else:
            packed.append((start, end))
            used = tokens
    return packed


def _between(text: str, start: int, end: int) -> int:
    """Return the tokens of the white space between two pieces, where it is more than a break."""
    return estimate_tokens(text[start:end]) if end - start > _BREAK else 0


def _counted(text: str, spans: Iterable[Span]) -> Iterator[Piece]:
    return ((start, end, estimate_tokens(text[start:end])) for start, end in spans)


def _pieces(text: str, spans: Iterable[Span], max_tokens: int) -> Iterator[Piece]:
    """Yield spans, and where one is too long the parts it is cut into."""
    for start, end, tokens in _counted(text, spans):
        if tokens <= max_tokens:
            yield start, end, tokens
        else:
            words = _counted(text, _words(text, start, end, max_tokens))
            yield from _counted(text, _pack(text, words, max_tokens))


def _words(text: str, start: int, end: int, max_tokens: int) -> Iterator[Span]:
    """Yield the words of a span, cutting those that alone are too long."""
    for match in _WORD_AND_SPACE.finditer(text, start, end):
        word = match.group().rstrip()
        step = max(1, len(word) * max_tokens // max(1, 2 * estimate_tokens(word)))
        if estimate_tokens(word) <= max_tokens:
            step = len(word)
        for offset in range(0, len(word), step):
            yield match.start() + offset, match.start() + min(offset + step, len(word))
