"""The arrays of `Lexicon` and the word vectors with what was added, from those before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from hoptrail.core.embedding import IdArray, IntArray
from hoptrail.stores.snapshot.arrays import Arrays, csr_arrays, load_csr, row_numbers
from hoptrail.stores.snapshot.graph_index import Csr, rows_of
from hoptrail.stores.snapshot.lexicon_builder import WordTables, word_tables
from hoptrail.stores.snapshot.row_map import RowMap, joined_pairs


@dataclass(frozen=True, slots=True)
class ExtendedWords:
    """Where the rows of words go, and the words of the new chunks alone."""

    words: RowMap
    new: WordTables

    @property
    def rows(self) -> IntArray:
        """The row of each word of the new chunks."""
        return rows_of(self.words.ids, self.new.lexicon.words)


def extend_lexicon(
    known: Arrays, chunks: RowMap, passages: Sequence[tuple[str, str, str]]
) -> tuple[dict[str, NDArray[Any]], ExtendedWords]:
    """Return the arrays of the lexicon by name, as `lexicon_arrays` does, and the moves of words.

    Args:
        known: The arrays of the last generation.
        chunks: Where the rows of chunks go.
        passages: Id, title and text of the new chunks, by id.
    """
    new = word_tables((title, text) for _, title, text in passages)
    words = RowMap.of(known["words"], new.lexicon.words.tolist())
    extended = ExtendedWords(words, new)
    counts = new.lexicon.word_chunks
    pairs = extended.rows[row_numbers(counts)], chunks.put[counts.indices]
    matrix: Csr = joined_pairs(load_csr(known, "word_chunks"), words, chunks, pairs, counts.data)
    length = chunks.spread(known["chunk_length"])
    length[chunks.put] = new.lexicon.chunk_length
    ids: IdArray = words.ids
    arrays = {"words": ids, "chunk_length": length, **csr_arrays("word_chunks", matrix)}
    return arrays, extended
