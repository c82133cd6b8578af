"""The vector matrices with what came and went, from those of the last generation.

Rows never move: new ones are appended to the matrices' files, which generations share. The row of
an item that reads otherwise or is gone, and that of a word that stands in a sentence which came or
went, is left behind; once many are, all is to be built anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.stores.records.community_table import report_texts
from hoptrail.stores.records.embedded_text import HASH_TYPE, HashArray, text_hash
from hoptrail.stores.records.embedding_table import forget_vectors, is_among, vectors_by_hash
from hoptrail.stores.records.packed_vectors import packed, unpacked
from hoptrail.stores.records.unpublished_table import listed_ids
from hoptrail.stores.snapshot.arrays import SealedArrays, append_rows, carry_array, save_arrays
from hoptrail.stores.snapshot.lexicon_builder import WordTables
from hoptrail.stores.snapshot.lexicon_extension import ExtendedWords
from hoptrail.stores.snapshot.principal_parts import LEAST_VECTORS, PrincipalParts
from hoptrail.stores.snapshot.row_map import RowMap
from hoptrail.stores.snapshot.vector_builder import PACKED

_LEFT_BEHIND = 1000  # rows that are not worth a new matrix, or
_SHARE_LEFT = 0.25  # this share of all rows
_LITTLE = 0.1  # of the length of a sum: where less is left of it, rounding may be much of that


class NotExtendableError(Exception):
    """The arrays of the last generation cannot be added to: all are to be built anew."""


@dataclass(frozen=True, slots=True)
class KindTexts:
    """The items of one kind that are new or read otherwise, `rows.put`, and their texts."""

    rows: RowMap
    texts: Sequence[str]


@dataclass(slots=True)
class VectorExtension:
    """Writes the matrices of the next generation into a folder.

    Attributes:
        connection: Where the embeddings are read.
        folder: Where the arrays go.
        known: Those of the last generation.
        embedder: Id and dimension of the embedder.
    """

    connection: sqlite3.Connection
    folder: Path
    known: SealedArrays
    embedder: tuple[int, int]
    _hashes: dict[str, HashArray] = field(default_factory=dict)
    _used: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    _left: set[bytes] = field(default_factory=set)

    def write(self, items: Mapping[str, KindTexts], words: ExtendedWords) -> None:
        """Write the matrices of items and words, and forget vectors that no text needs any more.

        Raises:
            NotExtendableError: If an array for it is lacking, a text has no vector, or many rows
                would be left behind.
        """
        for kind, texts in items.items():
            self._extend_items(kind, texts)
        sentence_hashes = self._extend_words(words)
        reports = self._take_out_reports()
        self._forget(sentence_hashes, reports)

    def _extend_items(self, kind: str, items: KindTexts) -> None:
        known = self.known.arrays
        if f"{kind}_hashes" not in known:
            raise NotExtendableError
        hashes = known[f"{kind}_hashes"]
        row_of = items.rows.spread(known[f"{kind}_vector_of"], -1)
        wanted = [text_hash(text).encode() if text else b"" for text in items.texts]
        places = _places(hashes, set(wanted))
        new = [one for one in dict.fromkeys(wanted) if one and one not in places]
        places |= {one: len(hashes) + place for place, one in enumerate(new)}
        row_of[items.rows.put] = [places.get(one, -1) for one in wanted]
        vectors = self._vectors(new)
        self._append(kind, vectors)
        joined = np.concatenate((hashes, np.array(new, dtype=HASH_TYPE)))
        save_arrays(self.folder, {f"{kind}_vector_of": row_of, f"{kind}_hashes": joined})
        used = _check_used(row_of, len(joined))
        left = ~used[: len(hashes)] & _used(known[f"{kind}_vector_of"], len(hashes))
        self._left.update(hashes[left].tolist())
        self._hashes[kind], self._used[kind] = joined, used

    def _take_out_reports(self) -> set[bytes]:
        """Leave the rows of reports that are gone behind; return the hashes of those that may be.

        These are none where none is gone.
        """
        gone = [one.encode() for one in listed_ids(self.connection, "report")]
        for name in self.known.arrays:
            if name.startswith("report_") and not (gone and name == "report_vector_of"):
                carry_array(self.known, self.folder, name)
        if not gone:
            return set()
        texts = list(report_texts(self.connection))
        has_report = np.array([bool(text) for text in texts], dtype=np.bool_)
        row_of = np.where(has_report, self.known.arrays["report_vector_of"], np.int32(-1))
        save_arrays(self.folder, {"report_vector_of": row_of})
        self._left.update(gone)
        return {text_hash(text).encode() for text in texts if text}

    def _append(self, kind: str, vectors: FloatArray) -> None:
        matrix = self.known.arrays[f"{kind}_vectors"]
        if kind in PACKED:
            append_rows(self.known, self.folder, f"{kind}_vectors", packed(vectors))
            return
        if matrix.dtype != np.float32:
            raise NotExtendableError
        append_rows(self.known, self.folder, f"{kind}_vectors", vectors)
        parts = PrincipalParts.loaded(self.known.arrays, kind)
        if parts is not None:
            coordinates, rests = parts.of(vectors)
            carry_array(self.known, self.folder, f"{kind}_axes")
            append_rows(self.known, self.folder, f"{kind}_parts", coordinates)
            save_arrays(self.folder, {f"{kind}_rests": np.concatenate((parts.rests, rests))})
        elif len(matrix) + len(vectors) >= LEAST_VECTORS > len(matrix):
            raise NotExtendableError

    def _extend_words(self, words: ExtendedWords) -> HashArray:
        """Add new sentences to the means of their words, take others out; return all hashes."""
        known = self.known.arrays
        if "sentence_hashes" not in known:
            raise NotExtendableError
        before: HashArray = known["sentence_hashes"]
        hashes = words.new.sentence_hashes
        fresh = ~is_among(before, hashes)
        row_of = words.words.spread(known["word_vector_of"], -1)
        own, sums = self._changes(words, fresh)
        rows = row_of[own]
        lengths: FloatArray = known["word_lengths"]
        there = rows >= 0
        earlier = np.zeros(len(own), dtype=np.float32)
        earlier[there] = lengths[rows[there]]
        sums[there] += unpacked(known["word_vectors"][rows[there]]) * earlier[there, None]
        norms = np.linalg.norm(sums, axis=1).astype(np.float32)
        for place in np.flatnonzero(norms < _LITTLE * earlier).tolist():
            sums[place] = self._sum_of(words, int(own[place]))
            norms[place] = np.linalg.norm(sums[place])
        left = norms > 0
        units = sums[left] / np.maximum(norms[left], np.finfo(np.float32).tiny)[:, None]
        self._append("word", units.astype(np.float32))
        row_of[own] = -1
        row_of[own[left]] = len(lengths) + np.arange(len(units), dtype=np.int32)
        _check_used(row_of, len(lengths) + len(units))
        stays = ~is_among(words.vanished, before)
        all_hashes: HashArray = np.sort(np.concatenate((before[stays], hashes[fresh])))
        self._left.update(words.vanished.tolist())
        save_arrays(
            self.folder,
            {
                "word_vector_of": row_of,
                "word_lengths": np.concatenate((lengths, norms[left])),
                "sentence_hashes": all_hashes,
            },
        )
        return all_hashes

    def _sum_of(self, words: ExtendedWords, word: int) -> FloatArray:
        """Return the sum over the sentences that hold a word, shape (dim,), from the vectors."""
        hashes = [text_hash(sentence).encode() for sentence in words.sentences_with(word)]
        total: FloatArray = self._vectors(hashes).sum(axis=0)
        return total

    def _changes(
        self, words: ExtendedWords, fresh: NDArray[np.bool_]
    ) -> tuple[IntArray, FloatArray]:
        """Return the rows of words in sentences that came or went, and how their sums change."""
        went = is_among(words.vanished, words.gone.sentence_hashes)
        came_rows, came = self._sums(words, words.new, fresh)
        went_rows, lost = self._sums(words, words.gone, went)
        own, place = np.unique(np.concatenate((came_rows, went_rows)), return_inverse=True)
        changes: FloatArray = np.zeros((len(own), self.embedder[1]), dtype=np.float32)
        np.add.at(changes, place, np.concatenate((came, -lost)))
        return own, changes

    def _sums(
        self, words: ExtendedWords, tables: WordTables, wanted: NDArray[np.bool_]
    ) -> tuple[IntArray, FloatArray]:
        """Return the rows of the words that stand in wanted sentences, and the vectors' sums."""
        from scipy.sparse import csr_array

        table, hashes = tables.word_sentences, tables.sentence_hashes
        shape = (len(tables.lexicon.words), len(hashes))
        ones = np.ones(len(table.indices), dtype=np.float32)
        matrix = csr_array((ones, table.indices, table.indptr), shape=shape)
        incidence = matrix[:, np.flatnonzero(wanted).astype(np.int32)]
        rows = words.rows(tables.lexicon.words)
        touched = np.flatnonzero((np.diff(incidence.indptr) > 0) & (rows >= 0))
        vectors = self._vectors(hashes[wanted].tolist())
        return rows[touched], np.asarray(incidence[touched] @ vectors, dtype=np.float32)

    def _vectors(self, hashes: Sequence[bytes]) -> FloatArray:
        embedder_id, dim = self.embedder
        found = vectors_by_hash(self.connection, embedder_id, dim, hashes)
        if found is None:
            raise NotExtendableError
        return found

    def _forget(self, sentence_hashes: HashArray, needed: set[bytes]) -> None:
        left = np.array(sorted(self._left), dtype=HASH_TYPE)
        needed |= set(left[is_among(sentence_hashes, left)].tolist())
        for kind, hashes in self._hashes.items():
            places = _places(hashes, self._left)
            needed |= {one for one, place in places.items() if self._used[kind][place]}
        forget_vectors(self.connection, self.embedder[0], sorted(self._left - needed))


def _places(hashes: HashArray, wanted: set[bytes]) -> dict[bytes, int]:
    """Return where those of the wanted hashes stand that are there."""
    asked = np.array(sorted(wanted), dtype=HASH_TYPE)
    likely = np.flatnonzero(np.isin(_beginnings(hashes), _beginnings(asked))).tolist()
    found = zip(hashes[likely].tolist(), likely, strict=True)
    return {one: place for one, place in found if one in wanted}


def _beginnings(hashes: HashArray) -> NDArray[np.uint64]:
    """Return the first eight digits of each hash as a number, which is found sooner than a text."""
    words = np.ascontiguousarray(hashes).view(np.uint64)
    return words[:: np.dtype(HASH_TYPE).itemsize // words.itemsize]


def _used(row_of: IntArray, rows: int) -> NDArray[np.bool_]:
    used: NDArray[np.bool_] = np.bincount(row_of[row_of >= 0], minlength=rows) > 0
    return used


def _check_used(row_of: IntArray, rows: int) -> NDArray[np.bool_]:
    """Return which rows are some item's vector.

    Raises:
        NotExtendableError: If too many are no item's.
    """
    used = _used(row_of, rows)
    if rows - int(used.sum()) > max(_LEFT_BEHIND, _SHARE_LEFT * rows):
        raise NotExtendableError
    return used
