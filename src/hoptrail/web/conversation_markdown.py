"""Conversations and their sources as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.core.types import Answer
from hoptrail.core.types.feedback import saved_words
from hoptrail.web.sources import Source, sources_of

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_ACTIVE = re.compile(r"([\[\]<])")
_MARKS = {"stated": "stated", "partly": "partly stated", "none": "not found"}
_DELETED = "its passage was deleted"


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
