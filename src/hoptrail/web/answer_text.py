"""Answers as text for clients that show no trail: numbered sources, Markdown, chat messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import Request

from hoptrail.core.types import Answer, JsonDict
from hoptrail.core.types.feedback import saved_words

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_ACTIVE = re.compile(r"([\[\]<])")
_MARKS = {"stated": "stated", "partly": "partly stated", "none": "not found"}
_DELETED = "its passage was deleted"
_HEADING = "\n\n---\n**Sources**\n"
_NEAREST_HEADING = "\n\n---\n**Nearest passages**\n"
_LONGEST_QUOTE = 240
_PERHAPS = "\n\n*perhaps: "
_SAVED = "\n\n*\N{BOOKMARK} "
_MARK = re.compile(r" ?\[\d{1,3}\](?!\()")
_PICTURE = re.compile(r"(?<!!)!++\[")
_MOST_SOURCES = 12


@dataclass(frozen=True, slots=True)
class Source:
    """A quote that an answer rests on, or a passage near to the question.

    Attributes:
        doc_id: Its document.
        title: Title of the document.
        start: Its first character in the document.
        end: The one after its last.
        quote: Its words.
        place: Page, slide, or sheet and row; None where the file has none.
    """

    doc_id: str
    title: str
    start: int
    end: int
    quote: str
    place: str | None

    def address(self, page: str, base: str) -> str:
        """Return where the page shows it.

        Args:
            page: Address of the page, ending in a slash.
            base: Name of the knowledge base.
        """
        query = {"kb": base, "id": self.doc_id, "start": self.start, "end": self.end}
        return f"{page}#/document?{urlencode(query)}"


def sources_of(answer: Answer) -> list[Source]:
    """Return the quotes of an answer's trail and then of its citations, each once.

    An abstention has the passages nearest to the question instead.
    """
    found: dict[tuple[str, int, int], Source] = {}
    for source in _nearest(answer) if answer.abstained else _quotes(answer):
        found.setdefault((source.doc_id, source.start, source.end), source)
    return list(found.values())


def _quotes(answer: Answer) -> Iterator[Source]:
    titles = {citation.doc_id: citation.title for citation in answer.citations}
    for hop in answer.trail.hops:
        if hop.doc_id and hop.quote and hop.start is not None and hop.end is not None:
            title = titles.get(hop.doc_id, hop.doc_id)
            yield Source(hop.doc_id, title, hop.start, hop.end, hop.quote, hop.place)
    for one in answer.citations:
        yield Source(one.doc_id, one.title, one.start, one.end, one.quote, one.place)


def _nearest(answer: Answer) -> Iterator[Source]:
    for one in answer.nearest:
        yield Source(one.doc_id, one.title, one.start, one.end, one.sentence, one.place)


def conversation_markdown(title: str, answers: Sequence[Answer]) -> str:
    """Return a conversation with the trail and the sources of each answer."""
    parts = [f"# {plain_markdown(title)}"]
    for answer in answers:
        parts += [f"## {plain_markdown(answer.question)}", answer_markdown(answer.text)]
        if answer.perhaps:
            parts.append(f"perhaps: {plain_markdown(answer.perhaps_reason or '')}")
        if answer.saved is not None:
            parts.append(plain_markdown(saved_words(answer.saved)))
        hops = [
            f"{hop.hop}. {plain_markdown(hop.claim)} "
            f"({_DELETED if hop.is_gone else _MARKS[hop.support]})"
            for hop in answer.trail.hops
        ]
        if hops:
            parts.append("\n".join(hops))
        if sources := sources_of(answer):
            lines = [_line(number, source) for number, source in enumerate(sources, start=1)]
            parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def answer_markdown(text: str) -> str:
    """Return the text of an answer as Markdown.

    One of several lines is Markdown itself, as models write on a whole collection: it keeps its
    paragraphs, lists and tables, and no link, picture or HTML.
    """
    return _ACTIVE.sub(r"\\\1", text.strip()) if "\n" in text else plain_markdown(text)


def plain_markdown(text: str) -> str:
    """Return a text as one line of Markdown that shows it letter for letter."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _line(number: int, source: Source) -> str:
    where = f"{source.doc_id}, {source.place}" if source.place else source.doc_id
    quote = plain_markdown(source.quote)
    title = plain_markdown(source.title)
    return f'- [{number}] "{quote}" {title}, {plain_markdown(where)} [{source.start}:{source.end}]'


@dataclass(frozen=True, slots=True)
class ChatText:
    """The ending of a message: what follows the text of an answer, and what it refers to.

    Attributes:
        ending: Marks and the list of sources; it is added to the answer's text.
        annotations: `url_citation` for each mark; indexes count characters of the whole.
        citations: Addresses of the sources, in the order of their numbers.
    """

    ending: str
    annotations: tuple[JsonDict, ...]
    citations: tuple[str, ...]


def without_pictures(text: str) -> str:
    """Return an answer with links in place of its pictures.

    A client loads a picture as it shows the answer, and tells its address to whoever wrote that
    into a document; a link is only followed by a person.
    """
    return _PICTURE.sub("[", text)


def chat_text(answer: Answer, page: str, base: str, *, with_sources: bool) -> ChatText:
    """Return what a chat client is sent after the text of an answer.

    Args:
        answer: The answer.
        page: Address of the page, ending in a slash.
        base: Name of the knowledge base.
        with_sources: Whether marks and sources are written into the text.
    """
    sources = sources_of(answer)[:_MOST_SOURCES]
    addresses = [source.address(page, base) for source in sources]
    if not with_sources:
        return ChatText("", (), tuple(addresses))
    position = len(without_pictures(answer.text))
    ending = ""
    annotations: list[JsonDict] = []
    for number, (source, address) in enumerate(zip(sources, addresses, strict=True), start=1):
        if answer.abstained:
            break
        mark = f" [{number}]"
        start = position + len(ending) + 1
        ending += mark
        cited = {"url": address, "title": source.title}
        span = {"start_index": start, "end_index": start + len(mark) - 1}
        annotations.append({"type": "url_citation", "url_citation": {**span, **cited}})
    if answer.perhaps:
        ending += f"{_PERHAPS}{plain_markdown(answer.perhaps_reason or '')}*"
    if answer.saved is not None:
        ending += f"{_SAVED}{plain_markdown(saved_words(answer.saved))}*"
    return ChatText(
        ending + _list(answer, sources, addresses), tuple(annotations), tuple(addresses)
    )


def answer_of(content: str) -> str:
    """Return the answer in an earlier message, without what `chat_text` added to it."""
    for heading in (_HEADING, _NEAREST_HEADING):
        content = content.partition(heading)[0]
    content = content.partition(_PERHAPS)[0].partition(_SAVED)[0]
    return _MARK.sub("", content).strip()


def has_reserve(content: str) -> bool:
    """Return whether `chat_text` told that the answer in an earlier message is no plain one."""
    return _PERHAPS in content


def _list(answer: Answer, sources: Sequence[Source], addresses: Sequence[str]) -> str:
    if not sources:
        return ""
    lines = []
    for number, (source, address) in enumerate(zip(sources, addresses, strict=True), start=1):
        quote = " ".join(source.quote.split())
        if len(quote) > _LONGEST_QUOTE:
            quote = f"{quote[: _LONGEST_QUOTE - 1]}…"
        place = f", {source.place}" if source.place else ""
        title = plain_markdown(f"{source.title}{place}")
        lines.append(f'{number}. [{title}]({address}): "{plain_markdown(quote)}"')
    return (_NEAREST_HEADING if answer.abstained else _HEADING) + "\n".join(lines)


def page_address(request: Request, public_url: str | None) -> str:
    """Return the address of the page as the sender of a request reaches it, ending in a slash.

    Args:
        request: Its Host header was checked; a proxy on this machine tells the scheme.
        public_url: The operator's word for it.
    """
    return f"{(public_url or str(request.base_url)).rstrip('/')}/"
