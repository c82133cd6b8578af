"""Vectors for the words of a region's passages."""

from __future__ import annotations

import numpy as np

from hoptrail.stores.snapshot.numpy_vector_index import NumpyVectorIndex
from hoptrail.stores.view import View

_SHORTEST = 1e-9
_WORDS_AT_ONCE = 1_000


def word_vectors(view: View) -> NumpyVectorIndex:
    """Return for each word the mean over the passages of the view that hold it, unit length.

    The vectors of an embedded base are means over sentences, which no server holds.
    """
    lexicon = view.lexicon
    holders = lexicon.word_chunks
    sums = np.zeros((len(lexicon.words), view.vectors["chunk"].dim), dtype=np.float32)
    for first in range(0, len(sums), _WORDS_AT_ONCE):
        starts = holders.indptr[first : first + _WORDS_AT_ONCE + 1]
        vectors = view.vectors["chunk"].vectors_at(holders.indices[starts[0] : starts[-1]])
        # Every word stands somewhere, so no run is empty.
        sums[first : first + _WORDS_AT_ONCE] = np.add.reduceat(vectors, starts[:-1] - starts[0])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return NumpyVectorIndex(lexicon.words, sums / np.maximum(lengths, _SHORTEST))
