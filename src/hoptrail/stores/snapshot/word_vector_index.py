"""The vectors of words, which are means over the sentences that hold them, from the sentences'."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.snapshot.graph_index import Csr, rows_of
from hoptrail.stores.snapshot.shared_rows import nearest_places, rounded
from hoptrail.stores.snapshot.vector_rows import VectorRows

_AT_ONCE = 1024  # words whose sentences' vectors are held at a time


class WordVectorIndex:
    """The `VectorIndex` of words: a word's product is the mean of those of its sentences.

    A text has two to three times as many words as sentences, so no word has a vector of its own.

    Args:
        words: Sorted, shape (n,).
        rows: Vectors, among them those of sentences.
        sentences: The rows of the sentences that hold each word; it has n rows.
        lengths: Length of the sum of a word's sentences, shape (n,), 0 for a word without any.
    """

    def __init__(
        self, words: IdArray, rows: VectorRows, sentences: Csr, lengths: FloatArray
    ) -> None:
        self._words = words
        self._rows = rows
        self._sentences = sentences
        self._lengths = lengths

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._rows.dim

    def __len__(self) -> int:
        """Number of words that have a vector."""
        return int((self._lengths > 0).sum())

    @property
    def has_vector(self) -> NDArray[np.bool_]:
        """Whether each word has a vector, shape (n,)."""
        found: NDArray[np.bool_] = self._lengths > 0
        return found

    def search(
        self, query: FloatArray, k: int, *, within: Sequence[str] | IdArray | None = None
    ) -> tuple[IdArray, FloatArray]:
        """Return words and similarities of the `k` nearest, best first, ties by word."""
        if within is None:
            return self.search_many(query[None], k)[0]
        places = np.unique(rows_of(self._words, within))
        return self._best(self._products(query), places[places >= 0], k)

    def search_many(self, queries: FloatArray, k: int) -> list[tuple[IdArray, FloatArray]]:
        """Return for each query, shape (q, dim), what `search` does; sentences are read once."""
        every = np.arange(len(self._words), dtype=np.int32)
        return [self._best(column, every, k) for column in self._products(queries.T).T]

    def similarities(self, query: FloatArray, ids: Sequence[str] | IdArray) -> FloatArray:
        """Return the similarity of each word, 0 for one without; queries as the columns of one."""
        return self._at(self._products(query), rows_of(self._words, ids))

    def similarities_at(self, query: FloatArray, places: IntArray) -> FloatArray:
        """Return the similarity of the words at these places among all, shape (len(places),)."""
        return self._at(self._products(query), places)

    def scorer(self, query: FloatArray) -> Callable[[IntArray], FloatArray]:
        """Return `similarities_at` for one query, shape (dim,), to be asked again and again."""
        products = self._products(query)
        return lambda places: self._at(products, places)

    def vectors(self, ids: Sequence[str] | IdArray) -> FloatArray:
        """Return the vectors of the words, shape (len(ids), dim); zeros for one without."""
        return self.vectors_at(rows_of(self._words, ids))

    def vectors_at(self, places: IntArray) -> FloatArray:
        """Return the vectors of the words at these places, as `similarities_at` counts them."""
        found = np.zeros((len(places), self.dim), dtype=np.float32)
        known = np.flatnonzero(places >= 0)
        for first in range(0, len(known), _AT_ONCE):
            some = known[first : first + _AT_ONCE]
            owners, rows = self._sentences.gather(places[some])
            used, at = np.unique(rows, return_inverse=True)
            vectors = self._rows.vectors(used)
            sums = np.zeros((len(some), self.dim), dtype=np.float32)
            np.add.at(sums, owners, vectors[at])
            found[some] = sums / self._divisors[places[some]][:, None]
        return found

    @property
    def _divisors(self) -> FloatArray:
        return np.where(self._lengths > 0, self._lengths, np.float32(1))

    def _products(self, queries: FloatArray) -> FloatArray:
        """Return the product of each word with one query or the columns of several."""
        if len(self._rows) == 0:
            return np.zeros((len(self._words), *queries.shape[1:]), dtype=np.float32)
        of_rows = self._rows.products(queries)[self._sentences.indices]
        # The sum over a run is the difference of two running sums.
        running = np.zeros((len(of_rows) + 1, *queries.shape[1:]))
        np.cumsum(of_rows, axis=0, out=running[1:])
        starts = self._sentences.indptr
        sums = (running[starts[1:]] - running[starts[:-1]]).astype(np.float32)
        divisors = self._divisors
        found: FloatArray = sums / (divisors if queries.ndim == 1 else divisors[:, None])
        return found

    def _at(self, products: FloatArray, places: IntArray) -> FloatArray:
        found = np.zeros((len(places), *products.shape[1:]), dtype=np.float32)
        known = places >= 0
        found[known] = products[places[known]]
        return found

    def _best(self, products: FloatArray, places: IntArray, k: int) -> tuple[IdArray, FloatArray]:
        places = places[self._lengths[places] > 0]
        scores = rounded(products[places])
        best = nearest_places(scores, k)
        return self._words[places[best]], scores[best]
