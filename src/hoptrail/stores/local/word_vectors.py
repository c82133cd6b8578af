"""Vectors for the words of a region's passages."""

from __future__ import annotations

import numpy as np

from hoptrail.stores.protocols import VectorIndex
from hoptrail.stores.snapshot.lexicon import Lexicon
from hoptrail.stores.snapshot.numpy_vector_index import NumpyVectorIndex

_SHORTEST = 1e-9
_WORDS_AT_ONCE = 1_000


def word_vectors(lexicon: Lexicon, passages: VectorIndex) -> NumpyVectorIndex:
    """Return for each word the mean over the passages of a view that hold it, unit length.

    The vectors of an embedded base are means over sentences, which no server holds.
    """
    holders = lexicon.word_chunks
    sums = np.zeros((len(lexicon.words), passages.dim), dtype=np.float32)
    for first in range(0, len(sums), _WORDS_AT_ONCE):
        starts = holders.indptr[first : first + _WORDS_AT_ONCE + 1]
        vectors = passages.vectors_at(holders.indices[starts[0] : starts[-1]])
        # Every word stands somewhere, so no run is empty.
        sums[first : first + _WORDS_AT_ONCE] = np.add.reduceat(vectors, starts[:-1] - starts[0])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return NumpyVectorIndex(lexicon.words, sums / np.maximum(lengths, _SHORTEST))
