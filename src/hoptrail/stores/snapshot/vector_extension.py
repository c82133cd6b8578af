"""The vector matrices with what came and went, from those of the last generation.

Rows never move: new ones are appended to the matrices' files, which generations share. The row of
an item that reads otherwise or is gone is left behind; once many are, all is to be built anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.sorted_sets import is_among
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.text import sentences
from hoptrail.stores.records.change_table import listed_ids
from hoptrail.stores.records.community_table import report_texts
from hoptrail.stores.records.embedding_table import forget_vectors, vectors_by_hash
from hoptrail.stores.records.stored_values import (
    HASH_TYPE,
    DigestArray,
    PackedArray,
    digests_of,
    hashes_of,
    text_hash,
    unpacked,
)
from hoptrail.stores.snapshot.arrays import NextArrays, SealedArrays
from hoptrail.stores.snapshot.graph_index import (
    RowMap,
    csr_arrays,
    joined_pairs,
    load_csr,
    row_numbers,
    rows_at,
)
from hoptrail.stores.snapshot.lexicon import ExtendedWords
from hoptrail.stores.snapshot.vector_builder import (
    VectorMakers,
    encoded,
    loaded_basis,
    word_lengths,
)
from hoptrail.stores.snapshot.vector_rows import LEAST_VECTORS, PrincipalParts

_LEFT_BEHIND = 1000  # rows that are not worth a new matrix, or
_SHARE_LEFT = 0.25  # this share of all rows


class NotExtendableError(Exception):
    """The arrays of the last generation cannot be added to: all are to be built anew."""


@dataclass(frozen=True, slots=True)
class KindTexts:
    """The items of one kind that are new or read otherwise, `rows.put`, and their texts."""

    rows: RowMap
    texts: Sequence[str]


@dataclass(slots=True)
class VectorExtension:
    """Writes the matrices of the next generation.

    Attributes:
        connection: Where the embedder's vectors are read.
        arrays: Takes the arrays.
        known: Those of the last generation.
        makers: Who makes the vectors.
    """

    connection: sqlite3.Connection
    arrays: NextArrays
    known: SealedArrays
    makers: VectorMakers
    _digests: dict[str, DigestArray] = field(default_factory=dict)
    _used: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    _left: set[bytes] = field(default_factory=set)
    _statically: bool = False
    _new_told: PackedArray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int8))

    def write(
        self, items: Mapping[str, KindTexts], words: ExtendedWords, passages: Sequence[str]
    ) -> bool:
        """Write the matrices of items and words, and forget vectors that no text needs any more.

        Args:
            items: The new items of each kind.
            words: Where words go, and the new ones.
            passages: The texts of the new passages.

        Returns:
            Whether the static model made vectors.

        Raises:
            NotExtendableError: If an array for it is lacking, a text has no vector, or many rows
                would be left behind.
        """
        if "chunk_digests" not in self.known.arrays:
            raise NotExtendableError
        self._extend_items("chunk", items["chunk"])
        self._extend_items("entity", items["entity"])
        self._extend_told(items["relation"], words, passages)
        reports = self._take_out_reports()
        if "basis" in self.known.arrays:
            self.arrays.carry("basis")
        self._forget(reports)
        return self._statically

    def _extend_items(self, name: str, items: KindTexts) -> None:
        row_of = items.rows.spread(self.known.arrays[f"{name}_vector_of"], -1)
        places, rows = self._add_rows(name, items.texts, read=name == "entity")
        row_of[items.rows.put] = [places.get(text, -1) for text in items.texts]
        self.arrays.save({f"{name}_vector_of": row_of})
        before = _used(self.known.arrays[f"{name}_vector_of"], rows)
        self._note_used(name, _used(row_of, rows), before)

    def _extend_told(
        self, relations: KindTexts, words: ExtendedWords, passages: Sequence[str]
    ) -> None:
        """Add what new relations and sentences tell; give words the sentences that hold them."""
        known = self.known.arrays
        given = dict.fromkeys(chain.from_iterable(sentences(text) for text in passages))
        places, rows = self._add_rows("told", [*relations.texts, *given], read=True)
        row_of = relations.rows.spread(known["relation_vector_of"], -1)
        row_of[relations.rows.put] = [places.get(text, -1) for text in relations.texts]
        self.arrays.save({"relation_vector_of": row_of})
        before = load_csr(known, "word_sentences")
        was_sentence = _used(before.indices, rows)
        row_at = {text_hash(text).encode(): places[text] for text in given}
        table = words.new.word_sentences
        own = words.rows(words.new.lexicon.words)[row_numbers(table)]
        of_new = np.array(
            [row_at[one] for one in words.new.sentence_hashes.tolist()], dtype=np.int32
        )
        at = of_new[table.indices] if len(of_new) else table.indices
        is_new = ~was_sentence[at] & (own >= 0)
        gone = np.fromiter(
            _places(known["told_digests"], set(words.vanished.tolist())).values(), dtype=np.int32
        )
        columns = np.arange(rows, dtype=np.int32)
        columns[gone] = -1
        moves = RowMap(np.arange(rows), columns, np.zeros(0, dtype=np.int32))
        joined = joined_pairs(before, words.words, moves, (own[is_new], at[is_new]))
        is_gone = np.zeros(rows, dtype=np.bool_)
        is_gone[gone] = True
        lost = rows_at(before, np.flatnonzero(is_gone[before.indices]))
        changed = np.unique(np.concatenate((words.words.moved(lost), own[is_new])))
        changed = changed[changed >= 0].astype(np.int32)
        lengths = words.words.spread(known["word_lengths"])
        lengths[changed] = word_lengths(joined, changed, self._told_at)
        self.arrays.save({**csr_arrays("word_sentences", joined), "word_lengths": lengths})
        before_used = _used(known["relation_vector_of"], rows) | was_sentence
        self._note_used("told", _used(row_of, rows) | _used(joined.indices, rows), before_used)

    def _add_rows(
        self, name: str, texts: Sequence[str], *, read: bool
    ) -> tuple[dict[str, int], int]:
        """Append the vectors of those texts that a matrix does not have.

        Returns:
            The row of each text, and how many rows there are.
        """
        digests: DigestArray = self.known.arrays[f"{name}_digests"]
        hash_of = {text: text_hash(text).encode() for text in texts if text}
        places = _places(digests, set(hash_of.values()))
        text_of = {one: text for text, one in hash_of.items() if one not in places}
        new = list(text_of)
        places |= {one: len(digests) + place for place, one in enumerate(new)}
        vectors, is_made = self._vectors(new, list(text_of.values()) if read else ())
        basis = loaded_basis(self.known.arrays, name)
        if basis is not None and not is_made.all():
            raise NotExtendableError
        added = encoded(name, vectors, basis)
        self._append(name, vectors, added)
        if name == "told":
            self._new_told = added
        further = digests_of(np.array(new, dtype=HASH_TYPE))
        self.arrays.append(f"{name}_digests", further)
        joined = self._digests[name] = np.concatenate((digests, further))
        return {text: places[one] for text, one in hash_of.items()}, len(joined)

    def _told_at(self, rows: IntArray) -> FloatArray:
        """Return the vectors of some rows of what is told, those of the new ones as well."""
        known = self.known.arrays["told_vectors"]
        is_new = rows >= len(known)
        found = np.empty((len(rows), self._new_told.shape[1]), dtype=self._new_told.dtype)
        found[~is_new] = known[rows[~is_new]]
        found[is_new] = self._new_told[rows[is_new] - len(known)]
        return unpacked(found)

    def _append(self, name: str, vectors: FloatArray, added: PackedArray) -> None:
        matrix = self.known.arrays[f"{name}_vectors"]
        self.arrays.append(f"{name}_vectors", added)
        parts = PrincipalParts.loaded(self.known.arrays, name)
        if parts is not None:
            coordinates, rests = parts.of(vectors)
            self.arrays.carry(f"{name}_axes")
            self.arrays.append(f"{name}_parts", coordinates)
            self.arrays.save({f"{name}_rests": np.concatenate((parts.rests, rests))})
        elif name == "chunk" and len(matrix) + len(vectors) >= LEAST_VECTORS > len(matrix):
            raise NotExtendableError

    def _vectors(
        self, hashes: Sequence[bytes], texts: Sequence[str]
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Return vectors, shape (len(hashes), dim), and which of them the static model made.

        Args:
            hashes: Those of the texts.
            texts: The texts, where they were read in passages, else none.
        """
        makers = self.makers
        found, is_there = vectors_by_hash(self.connection, makers.embedder_id, makers.dim, hashes)
        lacking = np.flatnonzero(~is_there).tolist()
        if lacking:
            if makers.static is None or not texts:
                raise NotExtendableError
            found[lacking] = makers.static.embed([texts[place] for place in lacking])
            self._statically = True
        return found, ~is_there

    def _note_used(self, name: str, used: NDArray[np.bool_], before: NDArray[np.bool_]) -> None:
        """Note which rows are some item's, and whose were.

        Raises:
            NotExtendableError: If too many are no item's.
        """
        rows = len(used)
        if rows - int(used.sum()) > max(_LEFT_BEHIND, _SHARE_LEFT * rows):
            raise NotExtendableError
        self._used[name] = used
        self._left.update(hashes_of(self._digests[name][before & ~used]).tolist())

    def _take_out_reports(self) -> set[bytes]:
        """Leave the rows of reports that are gone behind; return the hashes of those that may be.

        These are none where none is gone.
        """
        gone = [one.encode() for one in listed_ids(self.connection, "report")]
        for name in self.known.arrays:
            if name.startswith("report_") and not (gone and name == "report_vector_of"):
                self.arrays.carry(name)
        if not gone:
            return set()
        texts = list(report_texts(self.connection))
        has_report = np.array([bool(text) for text in texts], dtype=np.bool_)
        row_of = np.where(has_report, self.known.arrays["report_vector_of"], np.int32(-1))
        self.arrays.save({"report_vector_of": row_of})
        self._left.update(gone)
        return {text_hash(text).encode() for text in texts if text}

    def _forget(self, needed: set[bytes]) -> None:
        for name, digests in self._digests.items():
            places = _places(digests, self._left)
            needed |= {one for one, place in places.items() if self._used[name][place]}
        forget_vectors(self.connection, self.makers.embedder_id, sorted(self._left - needed))


def _places(digests: DigestArray, wanted: set[bytes]) -> dict[bytes, int]:
    """Return where those of the wanted hashes stand that are there."""
    asked = digests_of(np.array(sorted(wanted), dtype=HASH_TYPE))
    likely = np.flatnonzero(is_among(np.sort(_beginnings(asked)), _beginnings(digests)))
    found = zip(hashes_of(digests[likely]).tolist(), likely.tolist(), strict=True)
    return {one: place for one, place in found if one in wanted}


def _beginnings(digests: DigestArray) -> NDArray[np.int64]:
    """Return the first eight bytes of each hash as a number, which is found sooner than a text."""
    return np.ascontiguousarray(digests).view(np.int64)[:, 0]


def _used(row_of: IntArray, rows: int) -> NDArray[np.bool_]:
    used = np.zeros(rows + 1, dtype=np.bool_)  # the last is for -1
    used[row_of] = True
    return used[:-1]
