"""Texts as the tables have them: compressed where long, told once, and by hash where embedded.

The column `relations.description` holds a short text itself, and the number of a longer one, which
stands in the table `told`: a sentence tells of several relations. The number is a hash of the text,
so that equal texts have equal rows in any base. Older bases have long results as texts, too.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.names import is_unnamed
from hoptrail.stores.records.rows import has_table, rows_among

_LEAST_PACKED = 200  # characters
_LEAST_TOLD = 16  # characters; a number takes eight bytes, and more in its own table
_TEXT = """CASE typeof({column}) WHEN 'integer'
    THEN (SELECT text FROM told WHERE id = {column}) ELSE {column} END"""
_USED = "SELECT description FROM relations WHERE typeof(description) = 'integer'"
HashArray = NDArray[np.bytes_]
HASH_TYPE = "S32"
_ENTITY_CHARACTERS = 300


def packed_text(text: str) -> str | bytes:
    """Return a text as it is stored: compressed where it is long."""
    return zlib.compress(text.encode()) if len(text) >= _LEAST_PACKED else text


def unpacked_text(stored: str | bytes) -> str:
    """Return the text that was stored.

    Raises:
        ValueError: If the stored bytes are damaged.
    """
    if isinstance(stored, str):
        return stored
    try:
        return zlib.decompress(stored).decode()
    except zlib.error as error:
        raise ValueError(f"a compressed text is damaged: {error}") from error


def stored_description(text: str) -> str | int:
    """Return what stands in the row of a relation for its description."""
    if len(text) < _LEAST_TOLD:
        return text
    digest = blake2b(text.encode(errors="replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def put_told(connection: sqlite3.Connection, texts: Iterable[str]) -> None:
    """Store descriptions that rows of relations name."""
    connection.executemany(
        "INSERT OR IGNORE INTO told VALUES (?, ?)",
        ((stored_description(text), text) for text in texts if len(text) >= _LEAST_TOLD),
    )


def description_column(connection: sqlite3.Connection, column: str) -> str:
    """Return the SQL of a description's text; up to format 10 the column holds all of it."""
    return _TEXT.format(column=column) if has_table(connection, "told") else column


def told_by(connection: sqlite3.Connection, relations: Iterable[str]) -> set[int]:
    """Return the numbers of the texts that tell of some relations."""
    return {row[0] for row in rows_among(connection, f"{_USED} AND id IN {{}}", list(relations))}


def forget_told(connection: sqlite3.Connection, among: Iterable[int] | None = None) -> None:
    """Delete the texts that tell of no relation any more, of all or of some."""
    if among is None:
        connection.execute(f"DELETE FROM told WHERE id NOT IN ({_USED})")
        return
    unused = set(among)
    if unused:
        # One pass over the relations: an index for it would be a hundredth of the base.
        unused.difference_update(number for (number,) in connection.execute(_USED))
    numbers = [(number,) for number in sorted(unused)]
    connection.executemany("DELETE FROM told WHERE id = ?", numbers)


def text_hash(text: str) -> str:
    """Return the hash of an embedded text: 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()


def entity_text(name: str, description: str) -> str:
    """Return what is embedded for an entity; empty for one without a name or description."""
    if is_unnamed(name) and not description:
        return ""
    text = f"{name}: {description}" if name and description else name
    return text[:_ENTITY_CHARACTERS]


def passage_text(title: str, text: str) -> str:
    """Return what is embedded for a passage (as `Chunk.embedded_text`)."""
    return f"{title}\n{text}"


def relation_text(subject: str, predicate: str, target: str, description: str) -> str:
    """Return what is embedded for a relation (as `Relation.text`)."""
    return description or f"{subject} {predicate} {target}"
