"""Answers as text for chat clients: with marks, sources, and the annotations of the protocol."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request

from hoptrail.core.types import Answer, JsonDict
from hoptrail.core.types.feedback import saved_words
from hoptrail.web.conversation_markdown import plain_markdown
from hoptrail.web.sources import Source, sources_of

_HEADING = "\n\n---\n**Sources**\n"
_NEAREST_HEADING = "\n\n---\n**Nearest passages**\n"
_LONGEST_QUOTE = 240
_PERHAPS = "\n\n*perhaps: "
_SAVED = "\n\n*\N{BOOKMARK} "
_MARK = re.compile(r" ?\[\d{1,3}\](?!\()")
_PICTURE = re.compile(r"(?<!!)!++\[")
_MOST_SOURCES = 12


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
