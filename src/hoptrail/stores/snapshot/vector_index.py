"""Exact vector search: one matrix product over memory-mapped vectors, or over parts of them.

The matrix (`VectorRows`) has a row per distinct text, in C order: a row is contiguous, so a search
reads the file once from beginning to end and a few rows cost a few pages. Items come in the order
of their sorted ids and point at rows (`row_of`, int32, shape (n,), -1 for none), for many items
share a text: a bare graph has millions of relations and thousands of predicates. So vectors are
ranked first, and only the best are turned into items (`SharedRows`). Words have no vectors of their
own: theirs are means over the sentences that hold them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.sorted_sets import distinct_places
from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.snapshot.graph_index import Csr, rows_of
from hoptrail.stores.snapshot.vector_rows import (
    PrincipalParts,
    SharedRows,
    VectorRows,
    nearest_places,
    rounded,
)

_NEVER = -4.0  # the product of a row that is no item's: less than that of any two unit vectors
_GATHER_SHARE = 0.25  # above it, one product over all rows is cheaper than copying some
_SCORED_AT_ONCE = 50_000
_AT_ONCE = 1024  # words whose sentences' vectors are held at a time


class ItemVectors(ABC):
    """The common part of a `VectorIndex` over items of which several may share a vector.

    Args:
        ids: Their sorted ids, shape (n,).
        row_of: The row of each id's vector, shape (n,), -1 for an id without one.
        rows: Number of vectors.
    """

    def __init__(self, ids: IdArray, row_of: IntArray, rows: int) -> None:
        self.ids = ids
        self._row_of = row_of
        self._items = SharedRows(ids, row_of, rows)

    def __len__(self) -> int:
        """Number of ids that have a vector."""
        return int((self._row_of >= 0).sum())

    def search(
        self, query: FloatArray, k: int, *, within: Sequence[str] | IdArray | None = None
    ) -> tuple[IdArray, FloatArray]:
        """Return ids and similarities of the `k` nearest, best first, ties by id.

        Similarities are rounded to 1e-5. `within` restricts the search to those ids; ids without
        a vector are left out.
        """
        if within is None:
            return self.search_many(query[None], k)[0]
        places = np.unique(rows_of(self.ids, within))
        places = places[places >= 0]
        places = places[self._row_of[places] >= 0]
        scores = rounded(self.similarities_at(query, places))
        best = nearest_places(scores, k)
        return self.ids[places[best]], scores[best]

    @abstractmethod
    def search_many(self, queries: FloatArray, k: int) -> list[tuple[IdArray, FloatArray]]:
        """Return for each query, shape (q, dim), what `search` does."""

    def similarities_at(self, query: FloatArray, places: IntArray) -> FloatArray:
        """Return the similarity of the items at these places among all ids, shape (len(places),).

        Places are rows of the `GraphIndex` of the same generation; 0 where an item has no vector.
        Several queries are given as for `similarities`.
        """
        return self._similarities(query, self._row_of[places])

    def vectors(self, ids: Sequence[str] | IdArray) -> FloatArray:
        """Return the vectors of the ids, shape (len(ids), dim); zeros where an id has none."""
        return self._vectors(self._rows(ids))

    def vectors_at(self, places: IntArray) -> FloatArray:
        """Return the vectors of the items at these places, as `similarities_at` counts them."""
        return self._vectors(self._row_of[places])

    def _rows(self, ids: Sequence[str] | IdArray) -> IntArray:
        """Return the row of each id's vector, -1 without one."""
        places = rows_of(self.ids, ids)
        rows: IntArray = np.full(len(places), -1, dtype=np.int32)
        rows[places >= 0] = self._row_of[places[places >= 0]]
        return rows

    @abstractmethod
    def _similarities(self, query: FloatArray, rows: IntArray) -> FloatArray:
        """Return the similarity of the vectors of these rows, 0 for -1."""

    @abstractmethod
    def _vectors(self, rows: IntArray) -> FloatArray:
        """Return the vectors of these rows, zeros for -1."""


class NumpyVectorIndex(ItemVectors):
    """The `VectorIndex` over unit vectors, of which several items may share one.

    Args:
        ids: Sorted ids, shape (n,).
        matrix: The distinct vectors, shape (m, dim), float32, or packed, or `VectorRows` of them.
        row_of: The row of each id's vector, shape (n,), -1 for an id without one; None where the
            rows are in the order of the ids.
        parts: The vectors' principal parts, which spare a search most of the matrix.
    """

    def __init__(
        self,
        ids: IdArray,
        matrix: NDArray[Any] | VectorRows,
        row_of: IntArray | None = None,
        parts: PrincipalParts | None = None,
    ) -> None:
        every = np.arange(len(ids), dtype=np.int32) if row_of is None else row_of
        super().__init__(ids, every, len(matrix))
        self._parts = parts
        self._matrix = matrix if isinstance(matrix, VectorRows) else VectorRows(matrix)
        self._asked: tuple[IdArray, IntArray] | None = None

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._matrix.dim

    @property
    def has_vector(self) -> NDArray[np.bool_]:
        """Whether each id has a vector, shape (n,)."""
        found: NDArray[np.bool_] = self._row_of >= 0
        return found

    def search_many(self, queries: FloatArray, k: int) -> list[tuple[IdArray, FloatArray]]:
        """Return for each query, shape (q, dim), what `search` does; the matrix is read once."""
        if k <= 0 or len(self._matrix) == 0:
            return [(self.ids[:0], np.zeros(0, dtype=np.float32)) for _ in queries]
        if self._parts is None:
            every = np.arange(len(self._matrix), dtype=np.int32)
            products = self._matrix.products(queries.T)
            products[self._items.unused] = _NEVER
            return [self._items.nearest(every, column, k) for column in products.T]
        parts = self._parts
        near_all = parts.products(queries.T)
        near_all[self._items.unused] = _NEVER
        columns = near_all.T
        return [
            self._items.nearest(*self._candidates(parts, query, near, k), k)
            for query, near in zip(queries, columns, strict=True)
        ]

    def similarities(self, query: FloatArray, ids: Sequence[str] | IdArray) -> FloatArray:
        """Return the similarity of each id, shape (len(ids),); 0 where an id has no vector.

        Several queries, shape (dim, m), give the shape (len(ids), m) in one product.
        """
        return self._similarities(query, self._rows(ids))

    def scorer(self, query: FloatArray) -> Callable[[IntArray], FloatArray]:
        """Return `similarities_at` for one query, shape (dim,), to be asked again and again.

        Where the vectors are few, all products are computed at once.
        """
        if len(self._matrix) > _SCORED_AT_ONCE:
            return lambda places: self.similarities_at(query, places)
        products = np.zeros(len(self._matrix) + 1, dtype=np.float32)  # an item without asks at -1
        if len(self._matrix):
            products[:-1] = self._matrix.products(query)
        return lambda places: products[self._row_of[places]]

    def _rows(self, ids: Sequence[str] | IdArray) -> IntArray:
        """Return the row of each id's vector, -1 without one; those of all ids are remembered.

        Retrievers ask for all ids of a kind with every question, and strings are slow to find.
        """
        asked = self._asked
        if asked is not None and asked[0] is ids:
            return asked[1]
        rows = super()._rows(ids)
        if isinstance(ids, np.ndarray) and len(ids) == len(self.ids):
            self._asked = (ids, rows)
        return rows

    def _vectors(self, rows: IntArray) -> FloatArray:
        found = np.zeros((len(rows), self.dim), dtype=np.float32)
        known = rows >= 0
        found[known] = self._matrix.vectors(rows[known])
        return found

    def _similarities(self, query: FloatArray, rows: IntArray) -> FloatArray:
        scores = np.zeros((len(rows), *query.shape[1:]), dtype=np.float32)
        known = rows >= 0
        scores[known] = self._products(query, rows[known])
        return scores

    def _candidates(
        self, parts: PrincipalParts, query: FloatArray, near: FloatArray, k: int
    ) -> tuple[IntArray, FloatArray]:
        """Return the vectors that may be among the `k` nearest, and their products.

        `near` holds the products of the parts alone.
        """
        likely = nearest_places(near, k)
        least = float(self._products(query, likely).min())
        rows = parts.at_least(query, near, least)
        return rows, self._products(query, rows)

    def _products(self, query: FloatArray, rows: IntArray) -> FloatArray:
        if len(rows) == 0:
            return np.zeros((0, *query.shape[1:]), dtype=np.float32)
        if len(rows) > _GATHER_SHARE * len(self._matrix):
            return self._matrix.products(query)[rows]
        wanted, places = distinct_places(rows)
        return self._matrix.products_at(query, wanted)[places]


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
