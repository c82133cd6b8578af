"""Takes the words of deleted documents out of conversations and of answers of before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from langchain_core.messages import BaseMessage

from hoptrail.core.types import Answer, Trail
from hoptrail.core.types.answer import DELETED

_QUOTED = ("quote", "sentence", "before", "after")
_TITLES = ("title", "place")
_UNSUPPORTED = (("support", "none"), ("supported", False))
_SHORTEST = 24  # characters of a text that tells more than a name
StoredValue = tuple[Any, str, bytes]
"""Place of a stored value, how it is encoded, and the value."""


def without_deleted(answer: Answer, missing: Callable[[Iterable[str]], set[str]]) -> Answer:
    """Return an answer with "deleted" in place of what documents that are gone said.

    Args:
        answer: The answer.
        missing: Returns which of some ids no document has.
    """
    quoted = [hop.doc_id for hop in answer.trail.hops]
    quoted += [citation.doc_id for citation in answer.citations]
    quoted += [passage.doc_id for passage in answer.nearest]
    gone = missing(doc_id for doc_id in quoted if doc_id is not None)
    if not gone:
        return answer
    return replace(
        answer,
        trail=Trail(
            tuple(
                replace(hop, quote=DELETED, place=None, unsure=(), support="none", supported=False)
                if hop.doc_id in gone
                else hop
                for hop in answer.trail.hops
            )
        ),
        citations=tuple(
            replace(one, quote=DELETED, title=DELETED, place=None, unsure=())
            if one.doc_id in gone
            else one
            for one in answer.citations
        ),
        nearest=tuple(
            replace(
                one, sentence=DELETED, title=DELETED, place=None, before="", after="", unsure=()
            )
            if one.doc_id in gone
            else one
            for one in answer.nearest
        ),
    )


def cleaned_values(
    values: Callable[[], Iterator[StoredValue]], gone: frozenset[str]
) -> list[StoredValue]:
    """Return the stored values that quote documents that are gone, with "deleted" instead.

    Args:
        values: Yields all stored values with their places; it is called twice.
        gone: Ids of the documents.
    """
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    serializer = JsonPlusSerializer()
    quotes = {
        quote
        for _, kind, value in values()
        if _may_quote(value, gone)
        for quote in _quotes(serializer.loads_typed((kind, value)), gone)
    }
    return [
        (
            place,
            *serializer.dumps_typed(_cleaned(serializer.loads_typed((kind, value)), gone, quotes)),
        )
        for place, kind, value in values()
        if _may_quote(value, gone) or _may_quote(value, quotes)
    ]


def _may_quote(value: bytes | None, words: Iterable[str]) -> bool:
    """Return whether a stored value holds any of these words: most are not worth reading."""
    return value is not None and any(word.encode() in value for word in words)


def _quotes(value: Any, gone: frozenset[str]) -> Iterator[str]:
    """Yield what a stored value quotes of the documents."""
    if isinstance(value, dict):
        if value.get("doc_id") in gone:
            yield from (value[key] for key in _QUOTED if value.get(key))
        for item in value.values():
            yield from _quotes(item, gone)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _quotes(item, gone)


def _cleaned(value: Any, gone: frozenset[str], quotes: set[str]) -> Any:
    """Return a stored value without what the documents said."""
    if isinstance(value, dict):
        if value.get("doc_id") is not None and value["doc_id"] not in gone:
            return value  # another document may say the same
        clean = {key: _cleaned(item, gone, quotes) for key, item in value.items()}
        if value.get("doc_id") in gone:
            clean |= {key: DELETED for key in (*_QUOTED, *_TITLES) if value.get(key)}
            clean |= {key: unsupported for key, unsupported in _UNSUPPORTED if key in value}
        return clean
    if isinstance(value, list | tuple):
        return type(value)(_cleaned(item, gone, quotes) for item in value)
    if isinstance(value, BaseMessage) and isinstance(value.content, str):
        return value.model_copy(update={"content": _without_quotes(value.content, quotes)})
    return _without_quotes(value, quotes) if isinstance(value, str) else value


def _without_quotes(text: str, quotes: set[str]) -> str:
    if len(text) < _SHORTEST:
        return text
    if any(text in quote for quote in quotes):
        return DELETED
    for quote in quotes:
        if len(quote) >= _SHORTEST:
            text = text.replace(quote, DELETED)
    return text
