"""Results of reading, which cost time or money: extractions by place, recognised pictures."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import TypeAdapter

from hoptrail.core.types import Extraction, NodeUsage
from hoptrail.core.types.document import ScannedPage, ScannedWord
from hoptrail.stores.records.change_table import (
    is_underived,
    note_derived,
    replaced_extractions,
)
from hoptrail.stores.records.stored_values import packed_text, unpacked_text
from hoptrail.stores.records.tables import BATCH, Row, among, has_table, rows_among

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
    error: str | None = None,
) -> None:
    """Store what an extractor read in a chunk (None: in the document as a whole).

    Without an `extraction` it is a failure with this `error`. What was spent is added to what
    earlier tries at the same place spent.
    """
    if not is_underived(connection, doc_id) or _has_result(connection, doc_id, chunk_id, extractor):
        note_derived(connection, "")
    result = None
    if extraction is not None:
        dumped = json.dumps(extraction.to_json(), ensure_ascii=False)
        # A model can write half a surrogate pair, which no UTF-8 file can hold.
        result = packed_text(dumped.encode(errors="replace").decode())
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


def extractors(connection: sqlite3.Connection) -> list[str]:
    """Return the names of all extractors, in order."""
    rows = connection.execute("SELECT DISTINCT extractor FROM extractions ORDER BY extractor")
    return [row[0] for row in rows]


def extraction_status(
    connection: sqlite3.Connection, extractor: str, chunk_ids: Sequence[str] | None = None
) -> dict[str, ExtractionStatus]:
    """Return what became of each place by chunk id, or by document id for whole documents.

    Args:
        connection: Reads the base.
        extractor: Its name.
        chunk_ids: Chunks that are asked about, None for all places. Of many, all are told.
    """
    few = chunk_ids if chunk_ids is not None and len(chunk_ids) <= BATCH else None
    condition = "" if few is None else f"AND {among('chunk_id', few)}"
    rows = connection.execute(
        f"""SELECT ifnull(chunk_id, doc_id), result IS NOT NULL FROM extractions
        WHERE extractor = ? {condition} ORDER BY 1""",
        (extractor, *(few or ())),
    )
    return {place: "done" if done else "failed" for place, done in rows}


def failed_extractions(connection: sqlite3.Connection) -> list[FailedExtraction]:
    """Return the failures that no later try has mended, in canonical order."""
    rows = connection.execute(
        """SELECT doc_id, chunk_id, extractor, error FROM extractions
        WHERE result IS NULL ORDER BY doc_id, ifnull(chunk_id, ''), extractor"""
    )
    return [FailedExtraction(*row) for row in rows]


def drop_extractions(
    connection: sqlite3.Connection, extractor: str, chunk_ids: Iterable[str] | None = None
) -> None:
    """Delete an extractor's results and failures, of these chunks or all."""
    if chunk_ids is None:
        dropped = connection.execute("DELETE FROM extractions WHERE extractor = ?", (extractor,))
    else:
        dropped = connection.executemany(
            "DELETE FROM extractions WHERE extractor = ? AND chunk_id = ?",
            [(extractor, chunk_id) for chunk_id in chunk_ids],
        )
    if dropped.rowcount > 0:
        note_derived(connection, "")


def iter_mentions(connection: sqlite3.Connection) -> Iterator[Mention]:
    """Yield `(doc_id, chunk_id or None, extractor, extraction)` by document, place and extractor.

    Results of whole documents come first.
    """
    rows = connection.execute(
        """SELECT e.doc_id, e.chunk_id, e.extractor, e.result
        FROM extractions e LEFT JOIN chunks c ON c.id = e.chunk_id
        WHERE e.result IS NOT NULL
        ORDER BY e.doc_id, ifnull(c.start, -1), ifnull(e.chunk_id, ''), e.extractor"""
    )
    yield from map(_mention, rows)


def has_document_mentions(connection: sqlite3.Connection) -> bool:
    """Return whether anything was read in a document as a whole."""
    query = "SELECT 1 FROM extractions WHERE chunk_id IS NULL LIMIT 1"
    return connection.execute(query).fetchone() is not None


def mentions_of(
    connection: sqlite3.Connection, column: Literal["doc_id", "chunk_id"], ids: Sequence[str]
) -> list[Mention]:
    """Return the results of some documents or chunks."""
    query = f"""SELECT doc_id, chunk_id, extractor, result FROM extractions
        WHERE result IS NOT NULL AND {column} IN {{}}"""
    return list(map(_mention, rows_among(connection, query, ids)))


def replaced_mentions(connection: sqlite3.Connection) -> list[Mention]:
    """Return what the graph has of documents that were replaced since it was derived."""
    return list(map(_mention, replaced_extractions(connection)))


def _has_result(
    connection: sqlite3.Connection, doc_id: str, chunk_id: str | None, extractor: str
) -> bool:
    query = """SELECT 1 FROM extractions WHERE doc_id = ? AND ifnull(chunk_id, '') = ?
        AND extractor = ? AND result IS NOT NULL"""
    return connection.execute(query, (doc_id, chunk_id or "", extractor)).fetchone() is not None


def _mention(row: Row) -> Mention:
    doc_id, chunk_id, extractor, result = row
    return doc_id, chunk_id, extractor, extraction_of(result)


def extraction_of(stored: str | bytes) -> Extraction:
    """Return the extraction that a row stores.

    Raises:
        ValueError: If it is none.
    """
    return _adapter().validate_json(unpacked_text(stored))


@cache
def _adapter() -> TypeAdapter[Extraction]:
    return TypeAdapter(Extraction)


def known_scans(connection: sqlite3.Connection, recogniser: str) -> set[str]:
    """Return the hashes of the pictures that a recogniser has read."""
    if not has_table(connection, "scans"):
        return set()
    rows = connection.execute("SELECT picture FROM scans WHERE recogniser = ?", (recogniser,))
    return {row[0] for row in rows}


def scan(connection: sqlite3.Connection, picture: str) -> str | None:
    """Return what was recognised in a picture, None where nobody has read it."""
    if not has_table(connection, "scans"):
        return None
    row = connection.execute("SELECT page FROM scans WHERE picture = ?", (picture,)).fetchone()
    return None if row is None else zlib.decompress(row[0]).decode()


def put_scan(
    connection: sqlite3.Connection, picture: str, recogniser: str, page: str, shown: bytes
) -> None:
    """Keep what was recognised in a picture, and the picture as it is shown.

    Args:
        connection: Writes the base.
        picture: Its hash.
        recogniser: Who read it.
        page: The lines as JSON.
        shown: The picture, empty where no document will show it.
    """
    connection.execute("DELETE FROM scans WHERE picture = ?", (picture,))
    packed = zlib.compress(page.encode())
    connection.execute("INSERT INTO scans VALUES (?, ?, ?)", (picture, recogniser, packed))
    if shown:
        connection.execute("INSERT INTO scan_pictures VALUES (?, ?)", (picture, shown))


def put_document_scans(
    connection: sqlite3.Connection, doc_id: str, pages: Sequence[ScannedPage]
) -> None:
    """Record the pages of a document that were recognised, in place of those that it had."""
    connection.execute("DELETE FROM document_scans WHERE doc_id = ?", (doc_id,))
    connection.executemany(
        "INSERT INTO document_scans VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (doc_id, one.number, one.place, one.picture, one.width, one.height, _packed(one))
            for one in pages
        ],
    )


def document_scans(
    connection: sqlite3.Connection, doc_id: str, number: int | None = None
) -> list[ScannedPage]:
    """Return the recognised pages of a document in order, or one of them."""
    if not has_table(connection, "scans"):
        return []
    rows = connection.execute(
        """SELECT number, place, picture, width, height, words FROM document_scans
        WHERE doc_id = ?1 AND (?2 IS NULL OR number = ?2) ORDER BY number""",
        (doc_id, number),
    )
    return [
        ScannedPage(number, place, picture, width, height, _words(words))
        for number, place, picture, width, height, words in rows
    ]


def shown_picture(connection: sqlite3.Connection, picture: str) -> bytes | None:
    """Return a picture as it is shown, WebP; None where it was not kept."""
    if not has_table(connection, "scans"):
        return None
    query = "SELECT shown FROM scan_pictures WHERE picture = ?"
    row = connection.execute(query, (picture,)).fetchone()
    return None if row is None else bytes(row[0])


def forget_unused_scans(connection: sqlite3.Connection) -> None:
    """Forget pictures with text that no document shows any more.

    Those without text stay: they say nothing of anybody, and need not be looked at again.
    """
    connection.execute(
        """DELETE FROM scans WHERE picture IN (
        SELECT picture FROM scan_pictures WHERE picture NOT IN (SELECT picture FROM document_scans))
        """
    )


def _packed(page: ScannedPage) -> bytes:
    rows = [[word.start, word.end, word.confidence, *word.box] for word in page.words]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode())


def _words(packed: bytes) -> tuple[ScannedWord, ...]:
    found = []
    for start, end, confidence, *box in json.loads(zlib.decompress(packed)):
        x0, y0, x1, y1, x2, y2, x3, y3 = box
        found.append(ScannedWord(start, end, (x0, y0, x1, y1, x2, y2, x3, y3), confidence))
    return tuple(found)
