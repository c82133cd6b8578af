"""Recognised pictures: what was read in each by its hash, and where documents show their words."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Sequence

from hoptrail.core.types.scan import ScannedPage, ScannedWord
from hoptrail.stores.records.tables import has_table


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
