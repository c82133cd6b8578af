"""Vectors addressed by the hash of their text, and the embedder that made them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import (
    Embedder,
    FloatArray,
    IntArray,
    RemoteEmbedder,
    is_same_probe,
    probe_vector,
)
from hoptrail.core.errors import EmbedderMismatchError, KnowledgeBaseError
from hoptrail.stores.records.stored_values import (
    COARSE,
    FINE,
    HASH_TYPE,
    SCALE_BYTES,
    HashArray,
    packed_width,
    stored_rows,
    text_hash,
    unpacked,
)
from hoptrail.stores.records.tables import read_meta, write_meta

_IMPOSSIBLE = 1e4  # as a component of a unit vector
_BATCH = 4096
_WHOLE: np.dtype[Any] = np.dtype("<f4")
_STATIC_VECTORS = "static_vectors"  # key of: the embedder with such vectors, its static model
_BY_EMBEDDER = f"""embedder_id = ? AND length(vector) !=
    (SELECT dim + {SCALE_BYTES} FROM embedders WHERE id = embedder_id)"""
"""The embedder's own vectors: up to format 10, those of its static model were stored as bytes."""


@dataclass(frozen=True, slots=True)
class EmbedderRecord:
    """An embedder as the knowledge base knows it; `probe` is its vector of a fixed text."""

    id: int
    name: str
    dim: int
    probe: FloatArray

    def is_same(self, name: str, probe: FloatArray) -> bool:
        """Return whether an embedder of this name and probe vector gives the same vectors."""
        return name == self.name and is_same_probe(probe, self.probe)


def check_embedder(record: EmbedderRecord, embedder: Embedder, folder: Path) -> None:
    """Raise unless the embedder is the one on record; a remote one is only asked for its name.

    Raises:
        EmbedderMismatchError: If name, dimension or the vector of the probe text differ.
    """
    if embedder.name != record.name:
        problem = f"it was embedded with {record.name!r}, not {embedder.name!r}"
        anew = how_to_reembed(folder, embedder.name)
        raise EmbedderMismatchError(
            f"{folder}: {problem}", hint=f"set HOPTRAIL_EMBEDDER={record.name}, or {anew}"
        )
    if isinstance(embedder, RemoteEmbedder):
        return  # `VerifiedEmbedder` compares what it sends when it has to be called anyway
    if embedder.dim != record.dim:
        problem = f"its vectors have {record.dim} dimensions, not {embedder.dim}"
    elif not record.is_same(embedder.name, probe_vector(embedder)):
        problem = f"{embedder.name!r} gives other vectors than when it was embedded"
    else:
        return
    raise EmbedderMismatchError(f"{folder}: {problem}", hint=how_to_reembed(folder, embedder.name))


def how_to_reembed(folder: Path, name: str) -> str:
    """Return what to do about a knowledge base that another embedder embedded."""
    return f"embed it anew with: hoptrail reembed --kb {folder} --embedder {name}"


def published_embedder(connection: sqlite3.Connection) -> EmbedderRecord | None:
    """Return the embedder of the published vectors, or None where there never was one."""
    embedder_id = read_meta(connection, "embedder_id")
    return None if embedder_id is None else _records(connection, f"id = {embedder_id}")[0]


def embedder_records(connection: sqlite3.Connection) -> list[EmbedderRecord]:
    """Return all embedders that vectors are stored of."""
    return _records(connection, "1")


def embedder_record(connection: sqlite3.Connection, embedder_id: int) -> EmbedderRecord:
    """Return the record of this id."""
    return _records(connection, f"id = {embedder_id}")[0]


def newest_of_name(connection: sqlite3.Connection, name: str) -> int | None:
    """Return the id of the embedder of this name that was registered last, None without one."""
    query = "SELECT max(id) FROM embedders WHERE name = ?"
    row: tuple[int | None] = connection.execute(query, (name,)).fetchone()
    return row[0]


def register_embedder(connection: sqlite3.Connection, name: str, probe: FloatArray) -> int:
    """Return the id of the record of an embedder, added where none is the same.

    Args:
        connection: Of a knowledge base, or of a file of shared vectors.
        name: The embedder's.
        probe: Its vector of the fixed text, shape (dim,).
    """
    for record in embedder_records(connection):
        if record.is_same(name, probe):
            return record.id
    added = connection.execute(
        "INSERT INTO embedders (name, dim, probe) VALUES (?, ?, ?) RETURNING id",
        (name, len(probe), np.asarray(probe, dtype="<f4").tobytes()),
    ).fetchone()
    return int(added[0])


def publish_embedder(connection: sqlite3.Connection, embedder_id: int) -> None:
    """Make this the embedder of the knowledge base and forget all others with their vectors."""
    write_meta(connection, "embedder_id", str(embedder_id))
    connection.execute("DELETE FROM embeddings WHERE embedder_id != ?", (embedder_id,))
    connection.execute("DELETE FROM embedders WHERE id != ?", (embedder_id,))


def noted_static(connection: sqlite3.Connection, embedder_id: int | None) -> str | None:
    """Return the static model whose vectors are published, None where there are none such."""
    made_for, _, name = (read_meta(connection, _STATIC_VECTORS) or "").partition(" ")
    return name if made_for == str(embedder_id) else None


def note_static(connection: sqlite3.Connection, embedder_id: int, name: str | None) -> None:
    """Note whose static vectors are published, None for none."""
    write_meta(connection, _STATIC_VECTORS, "" if name is None else f"{embedder_id} {name}")


def forget_static(connection: sqlite3.Connection) -> None:
    """Note that a base has no vectors of a static model, whoever its embedder is."""
    write_meta(connection, _STATIC_VECTORS, "")


def put_embeddings(
    connection: sqlite3.Connection,
    embedder_id: int,
    texts: Sequence[str],
    vectors: FloatArray,
    *,
    exact: bool = False,
) -> bool:
    """Store the vectors of these texts; return whether any had one before.

    Args:
        connection: Of a knowledge base, or of a file of shared vectors.
        embedder_id: The embedder's.
        texts: What was embedded.
        vectors: Shape (len(texts), dim).
        exact: Whether to store them as they are, not in half of their bytes (`stored_values`).

    Raises:
        KnowledgeBaseError: If the shape does not fit the texts and the embedder.
    """
    (record,) = _records(connection, f"id = {embedder_id}")
    if vectors.shape != (len(texts), record.dim):
        raise KnowledgeBaseError(
            f"{len(texts)} texts with {record.dim} dimensions came with vectors of shape "
            f"{vectors.shape}"
        )
    stored = stored_rows(vectors, exact=exact)
    row_of = {text_hash(text): row for row, text in enumerate(texts)}
    hashes = sorted(row_of)  # in the order of the index: its pages are gone through once
    insert = "INSERT OR {} INTO embeddings (embedder_id, hash, vector) VALUES (?, ?, ?)"
    for case in ("IGNORE", "REPLACE"):
        rows = ((embedder_id, hash_, stored[row_of[hash_]]) for hash_ in hashes)
        added = connection.executemany(insert.format(case), rows).rowcount
        if case == "IGNORE" and added == len(hashes):
            return False
    return True


def stored_vectors(
    connection: sqlite3.Connection, embedder_id: int, texts: Sequence[str]
) -> FloatArray:
    """Return the texts' vectors, shape (len(texts), dim); zeros where there is none yet."""
    (record,) = _records(connection, f"id = {embedder_id}")
    found = np.zeros((len(texts), record.dim), dtype=np.float32)
    for i, text in enumerate(texts):
        row = connection.execute(
            "SELECT vector FROM embeddings WHERE embedder_id = ? AND hash = ?",
            (embedder_id, text_hash(text)),
        ).fetchone()
        if row is not None:
            found[i] = _vectors_of(row, record.dim)
    return _sound(found)


def missing_texts(
    connection: sqlite3.Connection, embedder_id: int, texts: Iterable[str]
) -> list[str]:
    """Return those of the texts that have no vector of the embedder itself."""
    query = f"SELECT 1 FROM embeddings WHERE {_BY_EMBEDDER} AND hash = ?"
    return [
        text
        for text in texts
        if connection.execute(query, (embedder_id, text_hash(text))).fetchone() is None
    ]


def vectors_by_hash(
    connection: sqlite3.Connection, embedder_id: int, dim: int, hashes: Sequence[bytes]
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the vectors under these hashes, and which there are, (len(hashes), dim) and (.,)."""
    found = np.zeros((len(hashes), dim), dtype=np.float32)
    is_there = np.zeros(len(hashes), dtype=np.bool_)
    query = "SELECT vector FROM embeddings WHERE embedder_id = ? AND hash = ?"
    for place, hash_ in enumerate(hashes):
        row = connection.execute(query, (embedder_id, hash_.decode())).fetchone()
        if row is not None:
            found[place], is_there[place] = _vectors_of(row, dim), True
    return _sound(found), is_there


def known_hashes(
    connection: sqlite3.Connection, embedder_id: int | None, *, with_static: bool = False
) -> HashArray:
    """Return the sorted hashes of the texts that have a vector, shape (n,).

    Args:
        connection: Reads the base.
        embedder_id: The embedder's.
        with_static: Whether to count those of its static model, which older bases store.
    """
    among = "embedder_id = ?" if with_static else _BY_EMBEDDER
    rows = connection.execute(
        f"SELECT hash FROM embeddings WHERE {among} ORDER BY hash", (embedder_id,)
    )
    return np.fromiter((row[0].encode() for row in rows), dtype=HASH_TYPE)


def forget_static_vectors(connection: sqlite3.Connection, embedder_id: int) -> None:
    """Delete the vectors of the embedder's static model, which older bases store."""
    connection.execute(
        f"""DELETE FROM embeddings WHERE embedder_id = ? AND NOT ({_BY_EMBEDDER})""",
        (embedder_id, embedder_id),
    )


def iter_embeddings(
    connection: sqlite3.Connection, embedder_id: int, dim: int
) -> Iterator[tuple[HashArray, FloatArray]]:
    """Yield hashes and vectors in batches, shapes (b,) and (b, dim), in the file's order."""
    # The plus keeps SQLite from going through the index, and so from row to row across the file.
    rows = connection.execute(
        "SELECT hash, vector FROM embeddings WHERE +embedder_id = ?", (embedder_id,)
    )
    while batch := rows.fetchmany(_BATCH):
        hashes, blobs = zip(*batch, strict=True)
        yield np.array(hashes, dtype=HASH_TYPE), _sound(_vectors_of(blobs, dim))


def forget_vectors(
    connection: sqlite3.Connection, embedder_id: int, hashes: Iterable[bytes]
) -> None:
    """Delete the vectors stored under these hashes."""
    connection.executemany(
        "DELETE FROM embeddings WHERE embedder_id = ? AND hash = ?",
        ((embedder_id, hash_.decode()) for hash_ in hashes),
    )


class HashPlaces:
    """Finds many hashes among sorted ones: by numbers, which is several times as fast as by texts.

    Args:
        hashes: Sorted, shape (n,).
    """

    def __init__(self, hashes: HashArray) -> None:
        self._hashes = hashes
        self._beginnings = _beginnings(hashes)

    def of(self, hashes: HashArray) -> IntArray:
        """Return the place of each, shape (len(hashes),), -1 where it is not there."""
        if len(self._hashes) == 0:
            return np.full(len(hashes), -1, dtype=np.int32)
        last = len(self._hashes) - 1
        wanted = _beginnings(hashes)
        places = np.minimum(np.searchsorted(self._beginnings, wanted), last)
        differs = self._hashes[places] != hashes
        alike = np.flatnonzero(differs & (self._beginnings[places] == wanted))
        places[alike] = np.minimum(np.searchsorted(self._hashes, hashes[alike]), last)
        differs[alike] = self._hashes[places[alike]] != hashes[alike]
        return np.where(differs, -1, places).astype(np.int32)


def _beginnings(hashes: HashArray) -> NDArray[np.uint64]:
    """Return the first eight bytes of each hash as a number of the same order."""
    if len(hashes) == 0:
        return np.zeros(0, dtype=np.uint64)
    first = np.ascontiguousarray(hashes).view(">u8").reshape(len(hashes), -1)[:, 0]
    return first.astype(np.uint64)


def _vectors_of(blobs: Sequence[bytes], dim: int) -> FloatArray:
    """Return vectors as they are stored, packed or not, shape (len(blobs), dim)."""
    lengths = np.fromiter(map(len, blobs), dtype=np.int64, count=len(blobs))
    vectors = np.empty((len(blobs), dim), dtype=np.float32)
    left = np.ones(len(blobs), dtype=np.bool_)
    for dtype in (_WHOLE, COARSE, FINE):
        width = dim if dtype == _WHOLE else packed_width(dim, dtype)
        chosen = left & (lengths == width * dtype.itemsize)
        data = b"".join(blob for blob, is_so in zip(blobs, chosen, strict=True) if is_so)
        rows = np.frombuffer(data, dtype).reshape(-1, width)
        vectors[chosen] = rows if dtype == _WHOLE else unpacked(rows)
        left &= ~chosen
    if left.any():
        raise _damaged()
    return vectors


def _damaged() -> KnowledgeBaseError:
    return KnowledgeBaseError(
        "a stored vector is damaged", hint="restore the knowledge base or index again"
    )


def _sound(vectors: FloatArray) -> FloatArray:
    """Return stored vectors, whose components are far from overflowing unless they are damaged."""
    if not (np.abs(vectors) < _IMPOSSIBLE).all():
        raise _damaged()
    return vectors


def _records(connection: sqlite3.Connection, condition: str) -> list[EmbedderRecord]:
    rows = connection.execute(f"SELECT id, name, dim, probe FROM embedders WHERE {condition}")
    return [
        EmbedderRecord(id_, name, dim, np.frombuffer(probe, dtype="<f4"))
        for id_, name, dim, probe in rows
    ]
