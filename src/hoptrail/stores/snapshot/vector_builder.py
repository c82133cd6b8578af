"""Writes the vector matrices of a cache folder: passages, entities, what is told, reports.

What relations and sentences tell shares one matrix, for a relation is most often told by a sentence
of its passage. Words have none: their vectors are means over sentences (`WordVectorIndex`).

Vectors of passages and reports are the embedder's, read from the tables. So are those of all other
texts where the embedder has no static model; else that makes what was read in passages, here, and
the tables do not store it. Such vectors lie in the subspace that the model's tokens span, and a
large matrix of them holds their coordinates in it, a third fewer numbers.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.sorted_sets import is_among
from hoptrail.core.embedding import Embedder, FloatArray, IdArray, IntArray, basis_of
from hoptrail.stores.protocols import VectorKind
from hoptrail.stores.records.embedding_table import (
    HashPlaces,
    forget_static_vectors,
    forget_vectors,
    iter_embeddings,
    known_hashes,
)
from hoptrail.stores.records.stored_values import (
    COARSE,
    FINE,
    HASH_TYPE,
    HashArray,
    digests_of,
    packed,
    packed_width,
    text_hash,
)
from hoptrail.stores.snapshot.arrays import Arrays, save_arrays
from hoptrail.stores.snapshot.graph_index import (
    Csr,
    csr_arrays,
    csr_from_pairs,
    id_array,
    load_csr,
    row_numbers,
)
from hoptrail.stores.snapshot.item_texts import ItemTexts, read_texts
from hoptrail.stores.snapshot.lexicon import WordTables
from hoptrail.stores.snapshot.vector_index import NumpyVectorIndex, WordVectorIndex
from hoptrail.stores.snapshot.vector_rows import PrincipalParts, VectorRows, write_principal_parts

_BATCH = 8192
_FEW = 512  # words for whose sums scipy is not loaded, which takes half a second
_BLOCK = 4096  # rows whose vectors are in memory at a time: what the cache holds
_LARGE_BLOCK = 65_536  # such rows where the sums themselves are larger than the cache
_LEAST_IN_SUBSPACE = 4096  # rows; a basis has the bytes of 3,000
COARSE_MATRICES = frozenset({"entity", "told"})
"""Whose vectors are many, and most often those of a static model: in a byte for each number."""
MATRICES = ("chunk", "entity", "told", "report")


@dataclass(frozen=True, slots=True)
class VectorMakers:
    """The embedder of a base by its id and dimension, and its static model, where it has one."""

    embedder_id: int
    dim: int
    static: Embedder | None


@dataclass(frozen=True, slots=True)
class WrittenVectors:
    """Whether every text has a vector, and whether the static model made any."""

    complete: bool
    statically: bool


def write_vectors(
    connection: sqlite3.Connection,
    folder: Path,
    makers: VectorMakers,
    items: Mapping[str, ItemTexts],
    words: WordTables,
    *,
    extendable: bool,
    prune: bool,
) -> WrittenVectors:
    """Write the matrices of distinct texts, and which row is each item's vector.

    An item that has no vector yet is left out.

    Args:
        connection: Where the embedder's vectors are read.
        folder: Where the arrays go.
        makers: Who makes the vectors.
        items: As `item_texts` returns them.
        words: The words and their sentences.
        extendable: Whether to write too what `VectorExtension` adds to: the hash of each row. What
            the static model made has those of its rows in any case.
        prune: Whether to delete the embeddings that no text needs.
    """
    static = makers.static
    if prune and static is not None:
        forget_static_vectors(connection, makers.embedder_id)
    stored = known_hashes(connection, makers.embedder_id, with_static=static is None)
    texts, sentence_at = _matrix_texts(items, words)
    made = _hashes_to_make(texts, stored) if static is not None else stored[:0]
    every = np.sort(np.concatenate((stored, made)))
    places = HashPlaces(every)
    is_made = is_among(made, every)
    basis = None if static is None else basis_of(static)
    scatters = {
        name: _Scatter(folder, name, places.of(one.hashes), makers.dim, is_made, basis)
        for name, one in texts.items()
    }
    if prune:
        unused = np.all([scatter.row_at < 0 for scatter in scatters.values()], axis=0)
        forget_vectors(connection, makers.embedder_id, every[unused & ~is_made].tolist())
    for name, one in texts.items():
        kind = "relation" if name == "told" else name
        save_arrays(folder, {f"{kind}_vector_of": scatters[name].row_of(one.text_of)})
    for found, vectors in iter_embeddings(connection, makers.embedder_id, makers.dim):
        for scatter in scatters.values():
            scatter.add(places.of(found), vectors)
    if static is not None:
        for hashes, vectors in _static_vectors(connection, static, made):
            for name in COARSE_MATRICES:
                scatters[name].add(places.of(hashes), vectors)
    if basis is not None and any(scatter.basis is not None for scatter in scatters.values()):
        save_arrays(folder, {"basis": basis})
    for name in texts.keys() - COARSE_MATRICES:
        write_principal_parts(folder, name, scatters[name].matrix)
    sentence_rows = scatters["told"].row_of(sentence_at)
    save_arrays(folder, _word_arrays(words, sentence_rows, scatters["told"].matrix))
    complete = all(scatter.has_all for scatter in scatters.values())
    if extendable and complete:
        save_arrays(folder, {"chunk_digests": digests_of(texts["chunk"].hashes)})
    if (extendable and complete) or len(made):
        for name in COARSE_MATRICES:
            hashes = texts[name].hashes[scatters[name].rows]
            save_arrays(folder, {f"{name}_digests": digests_of(hashes)})
    return WrittenVectors(complete, len(made) > 0)


def load_vectors(arrays: Arrays) -> dict[VectorKind, NumpyVectorIndex | WordVectorIndex]:
    """Return the vector index of each kind over loaded arrays."""
    rows = {name: load_rows(arrays, name) for name in MATRICES}
    ids: dict[VectorKind, IdArray] = {
        "chunk": arrays["chunk_ids"],
        "entity": arrays["entity_ids"],
        "relation": arrays["relation_ids"],
    }
    if "community_ids" in arrays:
        ids["report"] = arrays["community_ids"]
    found: dict[VectorKind, NumpyVectorIndex | WordVectorIndex] = {
        kind: NumpyVectorIndex(
            all_ids,
            rows["told" if kind == "relation" else kind],
            arrays[f"{kind}_vector_of"],
            PrincipalParts.loaded(arrays, kind),
        )
        for kind, all_ids in ids.items()
    }
    sentences = load_csr(arrays, "word_sentences")
    words = WordVectorIndex(arrays["words"], rows["told"], sentences, arrays["word_lengths"])
    no_reports = NumpyVectorIndex(id_array(()), arrays["chunk_vectors"][:0])
    return {"report": no_reports, **found, "word": words}


def load_rows(arrays: Arrays, name: str) -> VectorRows:
    """Return the rows of a matrix over loaded arrays."""
    return VectorRows(arrays[f"{name}_vectors"], loaded_basis(arrays, name))


def loaded_basis(arrays: Arrays, name: str) -> FloatArray | None:
    """Return the basis that a matrix holds coordinates along, None where it holds vectors."""
    if name not in COARSE_MATRICES or "basis" not in arrays:
        return None
    basis: FloatArray = arrays["basis"]
    width = packed_width(basis.shape[1], COARSE)
    return basis if arrays[f"{name}_vectors"].shape[1] == width else None


def encoded(name: str, vectors: FloatArray, basis: FloatArray | None) -> NDArray[Any]:
    """Return vectors as the rows of a matrix of this name hold them."""
    if name not in COARSE_MATRICES:
        return packed(vectors, FINE)
    return packed(vectors if basis is None else vectors @ basis, COARSE)


def word_lengths(
    sentences: Csr, words: IntArray, vectors_at: Callable[[IntArray], FloatArray]
) -> FloatArray:
    """Return the lengths of the sums over the sentences of some words, shape (len(words),).

    Args:
        sentences: Rows of sentences by word.
        words: Rows of words.
        vectors_at: Returns the vectors of some rows, or their coordinates along a basis.
    """
    lengths = np.zeros(len(words), dtype=np.float32)
    for first in range(0, len(words), _BATCH):
        owners, of_sentences = sentences.gather(words[first : first + _BATCH])
        if len(owners) == 0:
            continue
        sums = _sums(owners, of_sentences, vectors_at)
        lengths[first : first + len(sums)] = np.linalg.norm(sums, axis=1)
    return lengths


def _distinct_rows(rows: IntArray) -> tuple[IntArray, IntArray]:
    """Return the distinct rows, ascending, and the place of each row among them."""
    marks = np.zeros(int(rows.max(initial=-1)) + 1, dtype=np.bool_)
    marks[rows] = True
    found = np.flatnonzero(marks).astype(np.int32)
    places = np.zeros(len(marks), dtype=np.int32)
    places[found] = np.arange(len(found), dtype=np.int32)
    return found, places[rows]


def _sums(
    owners: IntArray, rows: IntArray, vectors_at: Callable[[IntArray], FloatArray]
) -> FloatArray:
    """Return the sum of the vectors that belong to each owner; those without any come as zeros.

    Args:
        owners: From 0, ascending.
        rows: Those of their vectors, ascending for each owner.
        vectors_at: Returns the vectors of some rows; asked for a block of them at a time.
    """
    used, at = _distinct_rows(rows)
    counts = np.bincount(owners)
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    if len(counts) > _FEW:
        return _many_sums(starts, at, used, vectors_at)
    edges = np.arange(0, len(used) + _BLOCK, _BLOCK)
    bounds = [a + np.searchsorted(at[a:b], edges) for a, b in pairwise(starts.tolist())]

    def in_block(number: int) -> FloatArray:
        vectors = vectors_at(used[edges[number] : edges[number + 1]])
        within = (at[one[number] : one[number + 1]] - edges[number] for one in bounds)
        return np.array([vectors[places].sum(axis=0) for places in within])

    return reduce(np.add, map(in_block, range(len(edges) - 1)))


def _many_sums(
    starts: IntArray, at: IntArray, used: IntArray, vectors_at: Callable[[IntArray], FloatArray]
) -> FloatArray:
    """Return the sums by a sparse matrix: `at[starts[i]:starts[i + 1]]` are those of owner i."""
    from scipy.sparse import csr_array

    ones = np.ones(len(at), dtype=np.float32)
    owned = csr_array((ones, at, starts), shape=(len(starts) - 1, len(used))).tocsc()

    def in_block(first: int) -> FloatArray:
        rows = slice(first, first + _LARGE_BLOCK)
        found: FloatArray = owned[:, rows] @ vectors_at(used[rows])
        return found

    return reduce(np.add, map(in_block, range(0, len(used), _LARGE_BLOCK)))


def _matrix_texts(
    items: Mapping[str, ItemTexts], words: WordTables
) -> tuple[dict[str, ItemTexts], IntArray]:
    """Return the texts of each matrix, and the place of each sentence in what is told."""
    relations, sentences = items["relation"], words.sentence_hashes
    order = np.argsort(relations.hashes).astype(np.int32)
    places = HashPlaces(relations.hashes[order]).of(sentences)
    is_new = places < 0
    at = np.where(is_new, -1, order[places] if len(order) else -1).astype(np.int32)
    at[is_new] = len(order) + np.arange(int(is_new.sum()), dtype=np.int32)
    was_read = np.concatenate((relations.was_read, np.ones(int(is_new.sum()), dtype=np.bool_)))
    was_read[at] = True
    hashes = np.concatenate((relations.hashes, sentences[is_new]))
    told = ItemTexts(hashes, relations.text_of, was_read)
    return {name: told if name == "told" else items[name] for name in MATRICES}, at


def _hashes_to_make(texts: Mapping[str, ItemTexts], stored: HashArray) -> HashArray:
    """Return the sorted hashes of what was read and has no stored vector."""
    read = np.concatenate([texts[name].hashes[texts[name].was_read] for name in COARSE_MATRICES])
    distinct = np.unique(read)
    return distinct[~is_among(stored, distinct)]


def _static_vectors(
    connection: sqlite3.Connection, static: Embedder, wanted: HashArray
) -> Iterator[tuple[HashArray, FloatArray]]:
    """Yield the hashes of the wanted texts and their vectors, in batches."""
    is_open = np.ones(len(wanted), dtype=np.bool_)
    places = HashPlaces(wanted)
    texts = read_texts(connection)
    while batch := list(islice(texts, _BATCH)):
        hashes = np.array([text_hash(text) for text in batch], dtype=HASH_TYPE)
        at = places.of(hashes)
        _, first = np.unique(at, return_index=True)
        chosen = first[(at[first] >= 0) & is_open[at[first]]]
        is_open[at[chosen]] = False
        if len(chosen):
            yield hashes[chosen], static.embed([batch[place] for place in chosen.tolist()])


class _Scatter:
    """Puts vectors that come in any order to the rows of the texts that have their hash.

    Args:
        folder: Where the matrix goes.
        name: That of the matrix.
        places: Place of each text's hash among those that have a vector, -1 where it has none.
        dim: Vector length.
        is_made: Whether each vector is the static model's, shape (vectors,).
        basis: That of the static model.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        places: IntArray,
        dim: int,
        is_made: NDArray[np.bool_],
        basis: FloatArray | None,
    ) -> None:
        self.rows: IntArray = np.flatnonzero(places >= 0).astype(np.int32)
        in_subspace = len(self.rows) >= _LEAST_IN_SUBSPACE and is_made[places[self.rows]].all()
        self.basis = basis if in_subspace and name in COARSE_MATRICES else None
        dtype = COARSE if name in COARSE_MATRICES else FINE
        width = packed_width(dim if self.basis is None else self.basis.shape[1], dtype)
        self.matrix = _new_matrix(folder / f"{name}_vectors.npy", len(self.rows), width, dtype)
        self._name = name
        self.row_at: IntArray = np.full(len(is_made), -1, dtype=np.int32)
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

    def add(self, places: IntArray, vectors: FloatArray) -> None:
        """Put vectors in their rows; places are those of their hashes, -1 for none of them."""
        rows = np.where(places >= 0, self.row_at[places], -1) if len(self.row_at) else places
        wanted = rows >= 0
        if wanted.any():
            self.matrix[rows[wanted]] = encoded(self._name, vectors[wanted], self.basis)


def _word_arrays(
    words: WordTables, sentence_rows: IntArray, matrix: NDArray[Any]
) -> dict[str, NDArray[Any]]:
    """Return which rows of what is told hold each word, and the lengths of their sums (KET-RAG)."""
    table = words.word_sentences
    size = len(words.lexicon.words)
    sentences = csr_from_pairs(row_numbers(table), sentence_rows[table.indices], size)
    every = np.arange(size, dtype=np.int32)
    return {
        **csr_arrays("word_sentences", sentences),
        "word_lengths": word_lengths(sentences, every, VectorRows(matrix).vectors),
    }


def _new_matrix(path: Path, rows: int, columns: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    if rows == 0:
        empty: NDArray[Any] = np.zeros((0, columns), dtype=dtype)
        np.save(path, empty)
        return empty
    matrix: NDArray[Any] = np.lib.format.open_memmap(
        path, mode="w+", dtype=dtype, shape=(rows, columns)
    )
    if hasattr(os, "posix_fallocate"):
        # Writing to a mapped file with holes kills the process when the disk is full.
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
    return matrix
