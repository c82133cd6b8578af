"""Takes the words of deleted documents out of conversations and of answers of before."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage

from hoptrail.core.errors import KnowledgeBaseLockedError
from hoptrail.core.types import Answer, Trail

DELETED = "deleted"
_BUSY_SECONDS = 30.0
_QUOTED = ("quote", "sentence")
_TITLES = ("title", "place")
_SHORTEST = 24  # characters of a text that tells more than a name
_STORED = (("checkpoints", "checkpoint"), ("writes", "value"))


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
                replace(hop, quote=DELETED, place=None) if hop.doc_id in gone else hop
                for hop in answer.trail.hops
            )
        ),
        citations=tuple(
            replace(one, quote=DELETED, title=DELETED, place=None) if one.doc_id in gone else one
            for one in answer.citations
        ),
        nearest=tuple(
            replace(one, sentence=DELETED, title=DELETED, place=None) if one.doc_id in gone else one
            for one in answer.nearest
        ),
    )


def forget_quotes(threads: Path, doc_ids: Iterable[str]) -> None:
    """Write "deleted" in stored conversations wherever they quote these documents.

    Answers stay as they were told, but for whole sentences of these documents.

    Args:
        threads: SQLite file that keeps the conversations.
        doc_ids: The documents.

    Raises:
        KnowledgeBaseLockedError: If another program keeps the file to itself.
    """
    try:
        _rewrite(threads, frozenset(doc_ids))
    except sqlite3.OperationalError as error:
        raise KnowledgeBaseLockedError(
            f"the documents are deleted, but {threads} may still quote them: {error}",
            hint="end the program that has it open, and remove the file if need be",
        ) from error


def _rewrite(threads: Path, gone: frozenset[str]) -> None:
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    serializer = JsonPlusSerializer()
    with closing(sqlite3.connect(threads, timeout=_BUSY_SECONDS, isolation_level=None)) as file:
        file.execute("PRAGMA secure_delete = ON")
        file.execute("BEGIN IMMEDIATE")
        quotes = {
            quote
            for *_, kind, value in _rows(file)
            if _may_quote(value, gone)
            for quote in _quotes(serializer.loads_typed((kind, value)), gone)
        }
        changed = [
            (table, column, row, _cleaned(serializer.loads_typed((kind, value)), gone, quotes))
            for table, column, row, kind, value in _rows(file)
            if _may_quote(value, gone) or _may_quote(value, quotes)
        ]
        for table, column, row, clean in changed:
            file.execute(
                f"UPDATE {table} SET type = ?, {column} = ? WHERE rowid = ?",
                (*serializer.dumps_typed(clean), row),
            )
        file.execute("COMMIT")
        # What was overwritten still stands in the log until that is written back.
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _rows(file: sqlite3.Connection) -> Iterator[tuple[str, str, int, str, bytes]]:
    """Yield all stored values with their places: table, column, row, type and value."""
    tables = {name for (name,) in file.execute("SELECT name FROM sqlite_master")}
    for table, column in _STORED:
        if table in tables:
            for row in file.execute(f"SELECT rowid, type, {column} FROM {table}"):
                yield (table, column, *row)


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
