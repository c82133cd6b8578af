"""Words and the chunks they stand in: what BM25 and KET-RAG's keyword channel read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hoptrail.core.embedding import IdArray, IntArray
from hoptrail.stores.snapshot.graph_index import Csr


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
