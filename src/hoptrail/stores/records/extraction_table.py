"""Extraction results: one row per place (a chunk or a whole document) and extractor."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import TypeAdapter

from hoptrail.core.types import Extraction, NodeUsage

ExtractionStatus = Literal["done", "failed"]
Mention = tuple[str, str | None, str, Extraction]


@dataclass(frozen=True, slots=True)
class FailedExtraction:
    """A place that an extractor could not read; `chunk_id` is None for a whole document."""

    doc_id: str
    chunk_id: str | None
    extractor: str
    error: str


def put_extraction(
    connection: sqlite3.Connection,
    doc_id: str,
    chunk_id: str | None,
    extractor: str,
    extraction: Extraction | None,
    usage: NodeUsage,
    error: str | None,
) -> None:
    """Store a result, or a failure where `extraction` is None; what was spent adds up."""
    result = None
    if extraction is not None:
        dumped = json.dumps(extraction.to_json(), ensure_ascii=False)
        # A model can write half a surrogate pair, which no UTF-8 file can hold.
        result = dumped.encode(errors="replace").decode()
    connection.execute(
        """INSERT INTO extractions (doc_id, chunk_id, extractor, result, error,
            llm_calls, prompt_tokens, completion_tokens, seconds, usd)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (doc_id, ifnull(chunk_id, ''), extractor) DO UPDATE SET
            result = excluded.result, error = excluded.error,
            llm_calls = llm_calls + excluded.llm_calls,
            prompt_tokens = prompt_tokens + excluded.prompt_tokens,
            completion_tokens = completion_tokens + excluded.completion_tokens,
            seconds = seconds + excluded.seconds, usd = usd + excluded.usd""",
        (
            doc_id,
            chunk_id,
            extractor,
            result,
            None if result is not None else error or "unknown error",
            usage.llm_calls,
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.seconds,
            usage.usd,
        ),
    )


def extraction_status(
    connection: sqlite3.Connection, extractor: str
) -> dict[str, ExtractionStatus]:
    """Return what became of each place by chunk id, or by document id for whole documents."""
    rows = connection.execute(
        """SELECT ifnull(chunk_id, doc_id), result IS NOT NULL FROM extractions
        WHERE extractor = ? ORDER BY 1""",
        (extractor,),
    )
    return {place: "done" if done else "failed" for place, done in rows}


def failed_extractions(connection: sqlite3.Connection) -> list[FailedExtraction]:
    """Return the failures in canonical order."""
    rows = connection.execute(
        """SELECT doc_id, chunk_id, extractor, error FROM extractions
        WHERE result IS NULL ORDER BY doc_id, ifnull(chunk_id, ''), extractor"""
    )
    return [FailedExtraction(*row) for row in rows]


def drop_extractions(
    connection: sqlite3.Connection, extractor: str, chunk_ids: Iterable[str] | None
) -> None:
    """Delete an extractor's rows, of these chunks or all."""
    if chunk_ids is None:
        connection.execute("DELETE FROM extractions WHERE extractor = ?", (extractor,))
        return
    connection.executemany(
        "DELETE FROM extractions WHERE extractor = ? AND chunk_id = ?",
        [(extractor, chunk_id) for chunk_id in chunk_ids],
    )


def iter_mentions(connection: sqlite3.Connection) -> Iterator[Mention]:
    """Yield the results by document, place in it and extractor; whole documents come first."""
    rows = connection.execute(
        """SELECT e.doc_id, e.chunk_id, e.extractor, e.result
        FROM extractions e LEFT JOIN chunks c ON c.id = e.chunk_id
        WHERE e.result IS NOT NULL
        ORDER BY e.doc_id, ifnull(c.start, -1), ifnull(e.chunk_id, ''), e.extractor"""
    )
    for doc_id, chunk_id, extractor, result in rows:
        yield doc_id, chunk_id, extractor, _adapter().validate_json(result)


@cache
def _adapter() -> TypeAdapter[Extraction]:
    return TypeAdapter(Extraction)
