"""Builds the arrays of `Lexicon`, and which sentence holds which word (for the word vectors)."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.text import content_words, sentences
from hoptrail.stores.records.embedded_text import HASH_TYPE, HashArray, text_hash
from hoptrail.stores.snapshot.arrays import Arrays, csr_arrays, id_array, load_csr
from hoptrail.stores.snapshot.graph_index import Csr
from hoptrail.stores.snapshot.item_texts import passages
from hoptrail.stores.snapshot.lexicon import Lexicon

_LONGEST_WORD = 64  # a longer run is encoded data; one would widen the whole array of words


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
