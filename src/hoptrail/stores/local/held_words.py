"""The words of passages, counted once for each, for the lexicons of views that hold them again."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.types import Chunk
from hoptrail.stores.snapshot.arrays import id_array
from hoptrail.stores.snapshot.graph_index import Csr
from hoptrail.stores.snapshot.lexicon import Collection, Lexicon
from hoptrail.stores.snapshot.lexicon_builder import counted_words

Counts = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Numbers of words, and how often each stands in a passage; shapes (n,)."""


class HeldWords:
    """Word counts by passage; usable from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers: dict[str, int] = {}
        self._counts: dict[str, Counts] = {}

    def within(self, chunk_ids: Iterable[str]) -> HeldWords:
        """Return the counts of these passages alone."""
        kept = HeldWords()
        with self._lock:
            kept._numbers = dict(self._numbers)
            kept._counts = {id_: self._counts[id_] for id_ in chunk_ids if id_ in self._counts}
        return kept

    def lexicon(self, passages: Sequence[Chunk], collection: Collection) -> Lexicon:
        """Return the lexicon of some passages, with what is counted over the whole collection."""
        with self._lock:
            counts = [self._of(passage) for passage in passages]
            known = list(self._numbers)
        nothing = np.zeros(0, dtype=np.int32)
        numbers = np.concatenate([nothing, *(one for one, _ in counts)])
        times = np.concatenate([nothing, *(many for _, many in counts)])
        lengths = np.array([many.sum() for _, many in counts], dtype=np.int32)
        holders = np.repeat(np.arange(len(counts)), [len(one) for one, _ in counts])
        used = np.flatnonzero(np.bincount(numbers, minlength=len(known)))
        words = id_array(known[number] for number in used.tolist())
        order = np.argsort(words)
        rank = np.empty(len(known), dtype=np.int32)
        rank[used[order]] = np.arange(len(order))
        by_word = np.argsort(rank[numbers], kind="stable")  # in a word, passages stay in order
        per_word = np.bincount(rank[numbers], minlength=len(order))
        word_chunks = Csr(
            np.concatenate(([0], np.cumsum(per_word))).astype(np.int32),
            holders[by_word].astype(np.int32),
            times[by_word].astype(np.float32),
        )
        return Lexicon(words[order], word_chunks, lengths, collection)

    def _of(self, passage: Chunk) -> Counts:
        found = self._counts.get(passage.id)
        if found is None:
            words = Counter(counted_words(passage.title))
            words.update(counted_words(passage.text))
            known = self._numbers
            numbers = [known.setdefault(word, len(known)) for word in words]
            found = np.array(numbers, dtype=np.int32), np.array([*words.values()], dtype=np.int32)
            self._counts[passage.id] = found
        return found
