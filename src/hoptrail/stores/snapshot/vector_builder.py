"""Writes the vector matrices of a cache folder: passages, entities, relations, words, reports."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.protocols import VectorKind
from hoptrail.stores.records.embedding_table import (
    HashPlaces,
    forget_vectors,
    iter_embeddings,
    known_hashes,
)
from hoptrail.stores.records.packed_vectors import SCALE_BYTES, packed
from hoptrail.stores.snapshot.arrays import Arrays, id_array, save_arrays
from hoptrail.stores.snapshot.item_texts import ItemTexts
from hoptrail.stores.snapshot.lexicon_builder import WordTables
from hoptrail.stores.snapshot.numpy_vector_index import NumpyVectorIndex
from hoptrail.stores.snapshot.principal_parts import PrincipalParts, write_principal_parts

# Half precision takes half the memory and six times as long to search, so it must be worth it.
HALF_ABOVE_BYTES = 2 << 30
_BATCH = 8192
_FULL: np.dtype[Any] = np.dtype(np.float32)
_PACKED: np.dtype[Any] = np.dtype(np.int8)
_SENTENCE = "sentence"
_EXTENDED = ("chunk", "entity", "relation")
PACKED = frozenset({"entity", "relation", "word"})
"""The kinds whose vectors are many, and most often those of a static model: they are packed."""


def write_vectors(
    connection: sqlite3.Connection,
    folder: Path,
    embedder: tuple[int, int],
    items: dict[str, ItemTexts],
    words: WordTables,
    *,
    extendable: bool,
    prune: bool,
) -> bool:
    """Write the matrix of each kind's distinct texts, and which row of it is each item's vector.

    An item that has no vector yet is left out. Return whether there is none such.

    Args:
        connection: Where the embeddings are read.
        folder: Where `<kind>_vectors.npy` and `<kind>_vector_of.npy` go.
        embedder: Id and dimension of the embedder.
        items: As `item_texts` returns them.
        words: The words and their sentences.
        extendable: Whether to write too what `VectorExtension` adds to: the hash of each row.
        prune: Whether to delete the embeddings that no text needs.
    """
    embedder_id, dim = embedder
    known = known_hashes(connection, embedder_id)
    places = HashPlaces(known)
    hashes = {kind: texts.hashes for kind, texts in items.items()}
    scatters = {
        kind: _Scatter(folder, kind, places.of(wanted), len(known), dim)
        for kind, wanted in {**hashes, _SENTENCE: words.sentence_hashes}.items()
    }
    if prune:
        unused = np.all([scatter.row_at < 0 for scatter in scatters.values()], axis=0)
        forget_vectors(connection, embedder_id, known[unused].tolist())
    for kind, texts in items.items():
        np.save(folder / f"{kind}_vector_of.npy", scatters[kind].row_of(texts.text_of))
    for found, matrix in iter_embeddings(connection, embedder_id, dim):
        found_at = places.of(found)
        for scatter in scatters.values():
            scatter.add(found_at, matrix)
    for kind in items.keys() - PACKED:
        write_principal_parts(folder, kind, scatters[kind].matrix)
    lengths = _write_word_vectors(folder, words, scatters[_SENTENCE])
    for path in folder.glob(f"{_SENTENCE}_*.npy"):
        path.unlink()
    complete = all(scatter.has_all for scatter in scatters.values())
    if extendable and complete:
        row_hashes = {f"{kind}_hashes": hashes[kind] for kind in _EXTENDED}
        sentence_hashes = np.sort(words.sentence_hashes)
        kept = {"word_lengths": lengths, "sentence_hashes": sentence_hashes}
        save_arrays(folder, {**row_hashes, **kept})
    return complete


def load_vectors(arrays: Arrays) -> dict[VectorKind, NumpyVectorIndex]:
    """Return the vector index of each kind over loaded arrays."""
    ids: dict[VectorKind, IdArray] = {
        "chunk": arrays["chunk_ids"],
        "entity": arrays["entity_ids"],
        "relation": arrays["relation_ids"],
        "word": arrays["words"],
    }
    if "community_ids" in arrays:
        ids["report"] = arrays["community_ids"]
    found: dict[VectorKind, NumpyVectorIndex] = {
        kind: NumpyVectorIndex(
            all_ids,
            arrays[f"{kind}_vectors"],
            arrays[f"{kind}_vector_of"],
            PrincipalParts.loaded(arrays, kind),
        )
        for kind, all_ids in ids.items()
    }
    no_reports = NumpyVectorIndex(id_array(()), arrays["chunk_vectors"][:0])
    return {"report": no_reports, **found}


class _Scatter:
    """Puts vectors that come in any order to the rows of the texts that have their hash.

    Args:
        folder: Where the matrix goes.
        kind: What the texts are of.
        places: Place of each text's hash among those that have a vector, -1 where it has none.
        known: How many have one.
        dim: Vector length.
    """

    def __init__(self, folder: Path, kind: str, places: IntArray, known: int, dim: int) -> None:
        self.rows: IntArray = np.flatnonzero(places >= 0).astype(np.int32)
        path = folder / f"{kind}_vectors.npy"
        self.matrix = (
            _new_matrix(path, len(self.rows), dim + SCALE_BYTES, _PACKED)
            if kind in PACKED
            else _new_matrix(path, len(self.rows), dim)
        )
        self._pack = kind in PACKED
        self.row_at: IntArray = np.full(known, -1, dtype=np.int32)
        self.row_at[places[self.rows]] = np.arange(len(self.rows), dtype=np.int32)
        self._texts = len(places)

    @property
    def has_all(self) -> bool:
        """Whether every text has a vector; then each text's row is its place."""
        return len(self.rows) == self._texts

    def row_of(self, text_of: IntArray) -> IntArray:
        """Return the row of each item's vector, -1 where it has none."""
        rows = np.full(self._texts + 1, -1, dtype=np.int32)
        rows[self.rows] = np.arange(len(self.rows), dtype=np.int32)
        found: IntArray = rows[text_of]  # -1 is the last place
        return found

    def add(self, places: IntArray, matrix: FloatArray) -> None:
        """Put the vectors of the hashes at these places in their rows."""
        rows = self.row_at[places]
        wanted = rows >= 0
        self.matrix[rows[wanted]] = packed(matrix[wanted]) if self._pack else matrix[wanted]


def _write_word_vectors(folder: Path, words: WordTables, sentences: _Scatter) -> FloatArray:
    """Write each word's vector: the unit mean over the sentences that hold it (KET-RAG).

    Returns:
        The length of the sum that each row was before, shape (rows,).
    """
    from scipy.sparse import csr_array

    table = words.word_sentences
    shape = (len(words.lexicon.words), len(words.sentence_hashes))
    ones = np.ones(len(table.indices), dtype=np.float32)
    incidence = csr_array((ones, table.indices, table.indptr), shape=shape)[:, sentences.rows]
    rows = np.flatnonzero(np.diff(incidence.indptr)).astype(np.int32)
    row_of = np.full(shape[0], -1, dtype=np.int32)
    row_of[rows] = np.arange(len(rows), dtype=np.int32)
    np.save(folder / "word_vector_of.npy", row_of)
    incidence = incidence[rows]
    dim = sentences.matrix.shape[1]
    matrix = _new_matrix(folder / "word_vectors.npy", len(rows), dim + SCALE_BYTES, _PACKED)
    lengths = np.zeros(len(rows), dtype=np.float32)
    for first in range(0, len(rows), _BATCH):
        sums = incidence[first : first + _BATCH] @ sentences.matrix
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        units = sums / np.maximum(norms, np.finfo(np.float32).tiny)
        matrix[first : first + _BATCH] = packed(units)
        lengths[first : first + _BATCH] = norms[:, 0]
    return lengths


def _new_matrix(path: Path, rows: int, columns: int, dtype: np.dtype[Any] = _FULL) -> NDArray[Any]:
    if rows == 0:
        empty: NDArray[Any] = np.zeros((0, columns), dtype=dtype)
        np.save(path, empty)
        return empty
    if dtype == _FULL and rows * columns * dtype.itemsize > HALF_ABOVE_BYTES:
        dtype = np.dtype(np.float16)
    matrix: NDArray[Any] = np.lib.format.open_memmap(
        path, mode="w+", dtype=dtype, shape=(rows, columns)
    )
    if hasattr(os, "posix_fallocate"):
        # Writing to a mapped file with holes kills the process when the disk is full.
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
    return matrix
