"""The arrays of `Lexicon` with what came and went, from those before, and its sentences."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import IdArray, IntArray
from hoptrail.core.text import sentences
from hoptrail.stores.records.embedded_text import HASH_TYPE, HashArray, text_hash
from hoptrail.stores.snapshot.arrays import Arrays, csr_arrays, id_array, load_csr, row_numbers
from hoptrail.stores.snapshot.graph_index import Csr, rows_of
from hoptrail.stores.snapshot.lexicon_builder import WordTables, counted_words, word_tables
from hoptrail.stores.snapshot.row_map import RowMap, joined_pairs

Passage = tuple[str, str, str]
"""Id, title and text of a chunk."""


@dataclass(frozen=True, slots=True)
class ExtendedWords:
    """Where the rows of words go, and the words of the chunks that came.

    `vanished` are the hashes of the sentences that stand in no chunk any more.
    """

    words: RowMap
    new: WordTables
    vanished: HashArray

    def rows(self, words: IdArray) -> IntArray:
        """Return the row of each of these words, -1 where it is gone."""
        return rows_of(self.words.ids, words)


def extend_lexicon(
    connection: sqlite3.Connection,
    known: Arrays,
    chunks: RowMap,
    passages: Sequence[Passage],
    gone: Sequence[Passage],
) -> tuple[dict[str, NDArray[Any]], ExtendedWords]:
    """Return the arrays of the lexicon by name, as `lexicon_arrays` does, and the moves of words.

    Args:
        connection: Reads the chunks that are there.
        known: The arrays of the last generation.
        chunks: Where the rows of chunks go.
        passages: Id, title and text of the new chunks, by id.
        gone: The same of those that are gone.
    """
    new = word_tables((title, text) for _, title, text in passages)
    before = load_csr(known, "word_chunks")
    words = RowMap.of(
        known["words"],
        new.lexicon.words.tolist(),
        known["words"][_lost(before, chunks)].tolist() if gone else (),
    )
    counts = new.lexicon.word_chunks
    own = rows_of(words.ids, new.lexicon.words)
    pairs = own[row_numbers(counts)], chunks.put[counts.indices]
    matrix: Csr = joined_pairs(before, words, chunks, pairs, counts.data, stale_columns=True)
    length = chunks.spread(known["chunk_length"])
    length[chunks.put] = new.lexicon.chunk_length
    ids: IdArray = words.ids
    arrays = {"words": ids, "chunk_length": length, **csr_arrays("word_chunks", matrix)}
    texts = _Texts(connection, chunks.ids, ids, matrix)
    vanished = sorted(text_hash(sentence) for sentence in texts.lacking(gone))
    extended = ExtendedWords(
        words,
        new,
        np.array(vanished, dtype=HASH_TYPE),
    )
    return arrays, extended


def _lost(before: Csr, chunks: RowMap) -> NDArray[np.bool_]:
    """Return which words stand in none of the chunks that stay as they are."""
    chunk = chunks.of_old[before.indices]
    stays = (chunk >= 0) & ~chunks.is_put[chunk]
    counts = np.bincount(row_numbers(before)[stays], minlength=len(before.indptr) - 1)
    lost: NDArray[np.bool_] = counts == 0
    return lost


@dataclass(frozen=True, slots=True)
class _Texts:
    """The chunks that are there, with the words and the chunks that these stand in."""

    connection: sqlite3.Connection
    chunk_ids: IdArray
    words: IdArray
    word_chunks: Csr

    def lacking(self, passages: Sequence[Passage]) -> Iterator[str]:
        """Yield the sentences of passages that no chunk has.

        One without a word of its own counts as had: any chunk might have it.
        """
        given = (sentence for _, _, text in passages for sentence in sentences(text))
        for sentence in dict.fromkeys(given):
            own = rows_of(self.words, id_array(dict.fromkeys(counted_words(sentence))))
            if len(own) and not any(sentence in sentences(text) for text in self.with_words(own)):
                yield sentence

    def with_words(self, words: IntArray) -> Iterator[str]:
        """Yield the texts of the chunks that hold all of these words."""
        if words.min() < 0:
            return
        first, *others = sorted((self.word_chunks.row(word) for word in words.tolist()), key=len)
        for other in others:
            first = first[np.isin(first, other, assume_unique=True)]
        for id_ in self.chunk_ids[first].tolist():
            yield self.connection.execute(
                "SELECT text FROM chunks WHERE id = ?", (id_,)
            ).fetchone()[0]
