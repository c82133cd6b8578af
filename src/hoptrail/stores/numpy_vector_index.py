"""Exact vector search: one matrix product over a memory-mapped matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.graph_index import rows_of

_DECIMALS = 5
_GATHER_SHARE = 0.25  # above it, one product over all rows is cheaper than copying some


class NumpyVectorIndex:
    """The `VectorIndex` over unit vectors.

    Args:
        ids: Sorted ids, shape (n,).
        matrix: Their vectors, shape (n, dim), float32.
    """

    def __init__(self, ids: IdArray, matrix: FloatArray) -> None:
        self._ids = ids
        self._matrix = matrix

    @property
    def dim(self) -> int:
        """Vector length."""
        return int(self._matrix.shape[1])

    def __len__(self) -> int:
        """Number of vectors."""
        return len(self._ids)

    @property
    def ids(self) -> IdArray:
        """The sorted ids that have a vector, shape (n,)."""
        return self._ids

    @property
    def matrix(self) -> FloatArray:
        """The vectors in the order of `ids`, shape (n, dim); read only."""
        return self._matrix

    def search(
        self, query: FloatArray, k: int, *, within: Sequence[str] | IdArray | None = None
    ) -> tuple[IdArray, FloatArray]:
        """Return ids and similarities of the `k` nearest, best first, ties by id.

        Similarities are rounded to 1e-5. `within` restricts the search to those ids; ids without
        a vector are left out.
        """
        if within is None:
            rows = np.arange(len(self._ids), dtype=np.int32)
        else:
            rows = np.unique(rows_of(self._ids, within))
            rows = rows[rows >= 0]
        scores = np.round(self._products(query, rows), _DECIMALS)
        best = _top(scores, k)
        return self._ids[rows[best]], scores[best]

    def similarities(self, query: FloatArray, ids: Sequence[str] | IdArray) -> FloatArray:
        """Return the similarity of each id, shape (len(ids),); 0 where an id has no vector."""
        rows = rows_of(self._ids, ids)
        scores = np.zeros(len(rows), dtype=np.float32)
        known = rows >= 0
        scores[known] = self._products(query, rows[known])
        return scores

    def vectors(self, ids: Sequence[str] | IdArray) -> FloatArray:
        """Return the vectors of the ids, shape (len(ids), dim); zeros where an id has none."""
        rows = rows_of(self._ids, ids)
        found = np.zeros((len(rows), self.dim), dtype=np.float32)
        known = rows >= 0
        found[known] = self._matrix[rows[known]]
        return found

    def _products(self, query: FloatArray, rows: IntArray) -> FloatArray:
        if len(rows) == 0:
            return np.zeros(0, dtype=np.float32)
        if len(rows) > _GATHER_SHARE * len(self._ids):
            products: FloatArray = (self._matrix @ query)[rows]
        else:
            products = self._matrix[rows] @ query
        return products


def _top(scores: FloatArray, k: int) -> IntArray:
    """Return the places of the `k` highest scores, best first, ties by place."""
    if k <= 0 or len(scores) == 0:
        return np.zeros(0, dtype=np.int32)
    candidates = np.arange(len(scores))
    if k < len(scores):
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        candidates = np.flatnonzero(scores >= least)
    order = np.lexsort((candidates, -scores[candidates]))[:k]
    return candidates[order].astype(np.int32)
