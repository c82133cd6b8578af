"""Writes the vector matrices of a cache folder: passages, entities, relations and words."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.stores.arrays import Arrays
from hoptrail.stores.embedded_text import (
    HASH_TYPE,
    HashArray,
    entity_text,
    passage_text,
    relation_text,
    text_hash,
)
from hoptrail.stores.embedding_table import (
    ENTITY_ROWS,
    PASSAGE_ROWS,
    RELATION_ROWS,
    is_among,
    iter_embeddings,
    known_hashes,
)
from hoptrail.stores.lexicon_builder import WordTables
from hoptrail.stores.numpy_vector_index import NumpyVectorIndex

_BATCH = 8192
_SENTENCE = "sentence"


def item_hashes(connection: sqlite3.Connection) -> dict[str, HashArray]:
    """Return by kind the hash of each item's text, in the order of ids; empty without a text."""
    return {
        "chunk": _hashes(connection, PASSAGE_ROWS, passage_text),
        "entity": _hashes(connection, ENTITY_ROWS, entity_text),
        "relation": _hashes(connection, RELATION_ROWS, relation_text),
    }


def write_vectors(
    connection: sqlite3.Connection,
    folder: Path,
    embedder: tuple[int, int],
    items: dict[str, HashArray],
    words: WordTables,
) -> None:
    """Write matrix and rows of each kind; an item that has no vector yet is left out.

    Args:
        connection: Where the embeddings are read.
        folder: Where `<kind>_vectors.npy` and `<kind>_vector_rows.npy` go.
        embedder: Id and dimension of the embedder.
        items: As `item_hashes` returns them.
        words: The words and their sentences.
    """
    embedder_id, dim = embedder
    known = known_hashes(connection, embedder_id)
    scatters = {
        kind: _Scatter(folder, kind, hashes, known, dim)
        for kind, hashes in {**items, _SENTENCE: words.sentence_hashes}.items()
    }
    for hashes, matrix in iter_embeddings(connection, embedder_id, dim):
        for scatter in scatters.values():
            scatter.add(hashes, matrix)
    _write_word_vectors(folder, words, scatters[_SENTENCE])
    for path in folder.glob(f"{_SENTENCE}_*.npy"):
        path.unlink()


def load_vectors(arrays: Arrays) -> dict[str, NumpyVectorIndex]:
    """Return the vector index of each kind over loaded arrays."""
    ids = {
        "chunk": arrays["chunk_ids"],
        "entity": arrays["entity_ids"],
        "relation": arrays["relation_ids"],
        "word": arrays["words"],
    }
    return {
        kind: NumpyVectorIndex(all_ids[arrays[f"{kind}_vector_rows"]], arrays[f"{kind}_vectors"])
        for kind, all_ids in ids.items()
    }


class _Scatter:
    """Puts vectors that come in any order to the rows of the items that have their hash."""

    def __init__(
        self, folder: Path, kind: str, hashes: HashArray, known: HashArray, dim: int
    ) -> None:
        self.rows: IntArray = np.flatnonzero(is_among(known, hashes)).astype(np.int32)
        self.matrix = _new_matrix(folder / f"{kind}_vectors.npy", len(self.rows), dim)
        np.save(folder / f"{kind}_vector_rows.npy", self.rows)
        present = hashes[self.rows]
        self._order = np.argsort(present, kind="stable")
        self._sorted = present[self._order]

    def add(self, hashes: HashArray, matrix: FloatArray) -> None:
        """Put these vectors in place."""
        first = np.searchsorted(self._sorted, hashes, side="left")
        counts = np.searchsorted(self._sorted, hashes, side="right") - first
        source = np.repeat(np.arange(len(hashes)), counts)
        offsets = np.arange(len(source)) - np.repeat(np.cumsum(counts) - counts, counts)
        target = self._order[np.repeat(first, counts) + offsets]
        self.matrix[target] = matrix[source]


def _write_word_vectors(folder: Path, words: WordTables, sentences: _Scatter) -> None:
    """Write each word's vector: the unit mean over the sentences that hold it (KET-RAG)."""
    from scipy.sparse import csr_array

    table = words.word_sentences
    shape = (len(words.lexicon.words), len(words.sentence_hashes))
    ones = np.ones(len(table.indices), dtype=np.float32)
    incidence = csr_array((ones, table.indices, table.indptr), shape=shape)[:, sentences.rows]
    rows = np.flatnonzero(np.diff(incidence.indptr)).astype(np.int32)
    incidence = incidence[rows]
    matrix = _new_matrix(folder / "word_vectors.npy", len(rows), sentences.matrix.shape[1])
    for first in range(0, len(rows), _BATCH):
        sums = incidence[first : first + _BATCH] @ sentences.matrix
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        matrix[first : first + _BATCH] = sums / np.maximum(norms, np.finfo(np.float32).tiny)
    np.save(folder / "word_vector_rows.npy", rows)


def _new_matrix(path: Path, rows: int, dim: int) -> FloatArray:
    if rows == 0:
        empty: FloatArray = np.zeros((0, dim), dtype=np.float32)
        np.save(path, empty)
        return empty
    matrix: NDArray[np.float32] = np.lib.format.open_memmap(
        path, mode="w+", dtype=np.float32, shape=(rows, dim)
    )
    if hasattr(os, "posix_fallocate"):
        # Writing to a mapped file with holes kills the process when the disk is full.
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
    return matrix


def _hashes(connection: sqlite3.Connection, query: str, text_of: Callable[..., str]) -> HashArray:
    rows = connection.execute(query)
    parts = [np.zeros(0, dtype=HASH_TYPE)]
    while batch := list(islice(rows, _BATCH)):
        texts = (text_of(*row[1:]) for row in batch)
        parts.append(np.array([text_hash(t) if t else "" for t in texts], dtype=HASH_TYPE))
    return np.concatenate(parts)
