"""Texts as the tables have them, and unit vectors as whole numbers.

Texts are compressed where long, told once, and stand by hash where embedded. The column
`relations.description` holds a short text itself, and the number of a longer one, which stands in
the table `told`: a sentence tells of several relations. The number is a hash of the text, so that
equal texts have equal rows in any base. Older bases have long results as texts, too.

A vector is a number per component, and what 1 stands for in it. Its largest component is the
largest number of its type, or minus that; the four bytes behind the last one hold the scale as a
float32. Numbers of one byte take a quarter of the vectors' bytes, and products differ from those of
whole vectors by .0004 on average (384 dimensions): less than the static models whose vectors are
stored so differ from the models that they were learned from. Numbers of two bytes take half;
products differ by .000002, less than they are rounded to.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from binascii import hexlify, unhexlify
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray
from hoptrail.core.names import is_unnamed
from hoptrail.stores.records.tables import BATCH, has_table, rows_among

_LEAST_PACKED = 200  # characters
_LEAST_TOLD = 16  # characters; a number takes eight bytes, and more in its own table
_TEXT = """CASE typeof({column}) WHEN 'integer'
    THEN (SELECT text FROM told WHERE id = {column}) ELSE {column} END"""
_USED = "SELECT description FROM relations WHERE typeof(description) = 'integer'"
HashArray = NDArray[np.bytes_]
HASH_TYPE = "S32"
DIGEST_BYTES = 16
DigestArray = NDArray[np.uint8]
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
    # One pass over the relations: an index for it would be a hundredth of the base.
    if 0 < len(unused) <= BATCH:  # SQLite looks for few without handing each row over
        query = f"{_USED} AND description IN {{}}"
        unused.difference_update(row[0] for row in rows_among(connection, query, sorted(unused)))
    elif unused:
        unused.difference_update(number for (number,) in connection.execute(_USED))
    numbers = [(number,) for number in sorted(unused)]
    connection.executemany("DELETE FROM told WHERE id = ?", numbers)


def text_hash(text: str) -> str:
    """Return the hash of an embedded text: 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()


def digests_of(hashes: HashArray) -> DigestArray:
    """Return hashes as their bytes, shape (n, 16)."""
    return np.frombuffer(unhexlify(hashes.tobytes()), dtype=np.uint8).reshape(-1, DIGEST_BYTES)


def hashes_of(digests: DigestArray) -> HashArray:
    """Return the hashes that have these bytes."""
    return np.frombuffer(hexlify(digests.tobytes()), dtype=HASH_TYPE)


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


PackedArray = NDArray[Any]
"""int8, shape (n, dim + 4), or int16, shape (n, dim + 2)."""

COARSE: np.dtype[Any] = np.dtype(np.int8)
FINE: np.dtype[Any] = np.dtype(np.int16)
SCALE_BYTES = 4
_LEAST_COMPONENTS = 3
_BLOCK = 1024  # rows turned to floats at a time: what the cache holds


def packed(vectors: FloatArray, dtype: np.dtype[Any] = COARSE) -> PackedArray:
    """Return vectors of shape (n, dim) as rows of whole numbers with their scale."""
    most = np.iinfo(dtype).max
    scales = (np.abs(vectors).max(axis=1, initial=0) / most).astype("<f4")
    dim = vectors.shape[1]
    rows = np.empty((len(vectors), packed_width(dim, dtype)), dtype=dtype)
    divisors = np.where(scales > 0, scales, np.float32(1))
    rows[:, :dim] = np.clip(np.rint(vectors / divisors[:, None]), -most, most)
    rows[:, dim:] = scales[:, None].view(dtype)
    return rows


def stored_rows(vectors: FloatArray, *, exact: bool = False) -> list[bytes]:
    """Return vectors as a table stores them: fine, or as they are where that is asked for.

    So few components that both forms are of one length are stored as they are.
    """
    if exact or vectors.shape[1] < _LEAST_COMPONENTS:
        return [row.tobytes() for row in np.ascontiguousarray(vectors, dtype="<f4")]
    return [row.tobytes() for row in packed(vectors, FINE)]


def packed_width(dim: int, dtype: np.dtype[Any]) -> int:
    """Return how many numbers a packed vector of this length takes."""
    return dim + SCALE_BYTES // dtype.itemsize


def is_packed(rows: NDArray[Any]) -> bool:
    """Return whether these are packed vectors, not vectors as they are."""
    return rows.dtype in (COARSE, FINE)


def packed_dim(rows: PackedArray) -> int:
    """Return the length of the packed vectors."""
    return int(rows.shape[1]) - SCALE_BYTES // rows.dtype.itemsize


def unpacked(rows: PackedArray) -> FloatArray:
    """Return the vectors of packed rows, float32, shape (n, dim)."""
    vectors: FloatArray = rows[:, : packed_dim(rows)].astype(np.float32)
    vectors *= scales_of(rows)[:, None]
    return vectors


def scales_of(rows: PackedArray) -> FloatArray:
    """Return what 1 stands for in each row, shape (n,)."""
    found: FloatArray = np.ascontiguousarray(rows[:, packed_dim(rows) :]).view("<f4")[:, 0]
    return found


def packed_products(rows: PackedArray, queries: FloatArray) -> FloatArray:
    """Return the products of all vectors with one query or the columns of several.

    Args:
        rows: Packed vectors.
        queries: Shape (dim,) or (dim, m).
    """
    dim = packed_dim(rows)
    products = np.empty((len(rows), *queries.shape[1:]), dtype=np.float32)
    block = np.empty((min(_BLOCK, len(rows)), dim), dtype=np.float32)
    for first in range(0, len(rows), _BLOCK):
        part = rows[first : first + _BLOCK]
        np.copyto(block[: len(part)], part[:, :dim])
        np.matmul(block[: len(part)], queries, out=products[first : first + _BLOCK])
    scales = scales_of(rows)
    products *= scales if queries.ndim == 1 else scales[:, None]
    return products
