"""Words and the chunks they stand in: what BM25 and KET-RAG's keyword channel read.

The arrays are built of all passages, or of those of the last generation and what came and went.
Beside them it is told which sentence holds which word, for the word vectors.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import IdArray, IntArray
from hoptrail.core.text import content_words, sentences
from hoptrail.stores.records.stored_values import HASH_TYPE, HashArray, text_hash
from hoptrail.stores.snapshot.arrays import Arrays
from hoptrail.stores.snapshot.graph_index import (
    Csr,
    RowMap,
    csr_arrays,
    id_array,
    joined_pairs,
    load_csr,
    row_numbers,
    rows_at,
    rows_of,
)
from hoptrail.stores.snapshot.item_texts import passages

_LONGEST_WORD = 64  # a longer run is encoded data; one would widen the whole array of words
Passage = tuple[str, str, str]
"""Id, title and text of a chunk."""


@dataclass(frozen=True, slots=True)
class Collection:
    """The counts over all passages of a base, where a lexicon knows some of them.

    Attributes:
        passages: How many there are.
        mean_length: Their mean `chunk_length`.
        frequencies: In how many of them a word or another form of it stands.
    """

    passages: int
    mean_length: float
    frequencies: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The bipartite graph of content words and chunks; rows as in `GraphIndex`.

    `words` is sorted; `word_chunks` has term frequencies as data; `chunk_length` counts content
    words per chunk (title and text). Word vectors (mean over the sentences that contain the word,
    unit length) are `KnowledgeBase.vectors("word")`, their ids the words. `collection` tells of all
    passages where these are not all.
    """

    words: IdArray
    word_chunks: Csr
    chunk_length: IntArray
    collection: Collection | None = None

    @property
    def passages(self) -> int:
        """Number of passages in the base."""
        return len(self.chunk_length) if self.collection is None else self.collection.passages

    @property
    def mean_length(self) -> float:
        """Mean length of the base's passages in content words, 0 where there are none."""
        if self.collection is not None:
            return self.collection.mean_length
        return float(self.chunk_length.mean(dtype=np.float32)) if len(self.chunk_length) else 0.0

    def frequency(self, word: str, known: int) -> int:
        """Return how many passages of the base hold a word that `known` ones here do."""
        found = 0 if self.collection is None else self.collection.frequencies.get(word, 0)
        return max(found, known)


@dataclass(frozen=True, slots=True)
class WordTables:
    """The lexicon with its sentences.

    `word_sentences` has a row per word; its columns are places in `sentence_hashes`, the hashes of
    the distinct sentences.
    """

    lexicon: Lexicon
    sentence_hashes: HashArray
    word_sentences: Csr


def build_word_tables(connection: sqlite3.Connection) -> WordTables:
    """Count the words of all chunks and sentences."""
    return word_tables(row[1:] for row in passages(connection))


def word_tables(passages: Iterable[tuple[str, str]]) -> WordTables:
    """Count the words of passages, each a title and a text; a row is a place among them."""
    reader = _Reader()
    for title, text in passages:
        reader.add(title, text)
    return reader.tables()


def counted_words(text: str) -> list[str]:
    """Return the words of a text that a lexicon knows, with repetitions."""
    return [
        word
        for word in content_words(text)
        if len(word) <= _LONGEST_WORD and not (len(word) == 1 and word.isdigit())
    ]


def lexicon_arrays(lexicon: Lexicon) -> dict[str, NDArray[Any]]:
    """Return the arrays of a lexicon by name, as `load_lexicon` takes them."""
    return {
        "words": lexicon.words,
        "chunk_length": lexicon.chunk_length,
        **csr_arrays("word_chunks", lexicon.word_chunks),
    }


def load_lexicon(arrays: Arrays) -> Lexicon:
    """Return the lexicon over loaded arrays."""
    return Lexicon(arrays["words"], load_csr(arrays, "word_chunks"), arrays["chunk_length"])


@dataclass(slots=True)
class _Runs:
    """Lists of word numbers, one after the other."""

    words: array[int] = field(default_factory=lambda: array("i"))
    starts: array[int] = field(default_factory=lambda: array("q", [0]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def end(self) -> None:
        """End the list that words were added to."""
        self.starts.append(len(self.words))

    def at(self, place: int) -> array[int]:
        """Return one list."""
        return self.words[self.starts[place] : self.starts[place + 1]]

    def lengths(self) -> NDArray[np.int64]:
        """Return how many words each list has, shape (lists,)."""
        starts = np.array(self.starts, dtype=np.int64)
        return starts[1:] - starts[:-1]

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the word numbers, and for each the place of its list."""
        lengths = self.lengths()
        return np.array(self.words, dtype=np.int64), np.repeat(np.arange(len(lengths)), lengths)


class _Reader:
    """Numbers words and distinct sentences while it reads chunk after chunk."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._sentences: dict[str, int] = {}  # the place of each in its runs
        self._chunk_runs = _Runs()
        self._sentence_runs = _Runs()

    def add(self, title: str, text: str) -> None:
        """Read the next chunk."""
        self._chunk_runs.words.extend(self._words(title))
        for sentence in sentences(text):
            self._chunk_runs.words.extend(self._sentence(sentence))
        self._chunk_runs.end()

    def tables(self) -> WordTables:
        """Return what was read, words in order."""
        words = id_array(self._numbers)
        order = np.argsort(words)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        word_chunks = _count(self._chunk_runs, rank, with_counts=True)
        lengths = self._chunk_runs.lengths().astype(np.int32)
        hashes = np.array(list(self._sentences), dtype=HASH_TYPE)
        lexicon = Lexicon(words[order], word_chunks, lengths)
        return WordTables(lexicon, hashes, _count(self._sentence_runs, rank, with_counts=False))

    def _sentence(self, sentence: str) -> array[int]:
        place = self._sentences.setdefault(text_hash(sentence), len(self._sentences))
        if place == len(self._sentence_runs):  # not met before
            self._sentence_runs.words.extend(self._words(sentence))
            self._sentence_runs.end()
        return self._sentence_runs.at(place)

    def _words(self, text: str) -> list[int]:
        numbers = self._numbers
        return [numbers.setdefault(word, len(numbers)) for word in counted_words(text)]


def _count(runs: _Runs, rank: NDArray[np.int64], *, with_counts: bool) -> Csr:
    """Return the word by list matrix, words by rank, with how often each word stands there."""
    numbers, lists = runs.pairs()
    width = max(len(runs), 1)
    keys, counts = np.unique(rank[numbers] * width + lists, return_counts=True)
    per_word = np.bincount(keys // width, minlength=len(rank))
    return Csr(
        np.concatenate(([0], np.cumsum(per_word))).astype(np.int32),
        (keys % width).astype(np.int32),
        counts.astype(np.float32) if with_counts else None,
    )


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


def _lost(before: Csr, chunks: RowMap) -> IntArray:
    """Return the rows of the words that stand in none of the chunks that stay as they are."""
    leaves = (chunks.of_old < 0) | chunks.is_put[chunks.of_old]
    entries = np.flatnonzero(leaves[before.indices])
    words, counts = np.unique(rows_at(before, entries), return_counts=True)
    lost: IntArray = words[counts == before.counts(words)]
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
