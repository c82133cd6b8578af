"""The matrix of distinct vectors behind an index, and what a search in it needs.

Most far vectors are told from near ones by their principal parts. Many items share a vector: the
best vectors lead to the best items.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.records.stored_values import (
    PackedArray,
    is_packed,
    packed_dim,
    packed_products,
    unpacked,
)
from hoptrail.stores.snapshot.arrays import Arrays, save_arrays
from hoptrail.stores.snapshot.graph_index import Csr

LEAST_VECTORS = 100_000  # fewer are searched in milliseconds as they are
_AXES = 160
_SAMPLED = 20_000
_BATCH = 8192
_ERROR = 2e-5  # of rounded products
_DECIMALS = 5


class VectorRows:
    """Unit vectors by row: products with all of them, or some of them whole.

    Args:
        matrix: Shape (m, dim), float32; or packed (`stored_values`).
        basis: Orthonormal columns, shape (dim, n), that span all rows, of which the matrix then
            holds the coordinates along them. None where it holds the vectors themselves.
    """

    def __init__(self, matrix: NDArray[Any], basis: FloatArray | None = None) -> None:
        self._matrix = matrix
        self._basis = basis

    @property
    def dim(self) -> int:
        """Vector length."""
        if self._basis is not None:
            return int(self._basis.shape[0])
        return packed_dim(self._matrix) if is_packed(self._matrix) else int(self._matrix.shape[1])

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._matrix)

    def products(self, queries: FloatArray) -> FloatArray:
        """Return the products of all rows with one query or the columns of several."""
        along = self._along(queries)
        if is_packed(self._matrix):
            return packed_products(self._matrix, along)
        found: FloatArray = self._matrix @ along
        return found

    def products_at(self, queries: FloatArray, rows: IntArray) -> FloatArray:
        """Return the products of some rows with one query or the columns of several."""
        along = self._along(queries)
        found: FloatArray = self._coordinates(rows) @ along
        return found

    def vectors(self, rows: IntArray) -> FloatArray:
        """Return some rows, float32, shape (len(rows), dim)."""
        found = self._coordinates(rows)
        if self._basis is None:
            return found
        whole: FloatArray = found @ self._basis.T
        return whole

    def _along(self, queries: FloatArray) -> FloatArray:
        if self._basis is None:
            return queries
        coordinates: FloatArray = self._basis.T @ queries
        return coordinates

    def _coordinates(self, rows: IntArray) -> FloatArray:
        found: NDArray[Any] = self._matrix[rows]
        return unpacked(found) if is_packed(found) else found


@dataclass(frozen=True, slots=True)
class PrincipalParts:
    """Each vector's coordinates along the principal axes of all, and the length of the rest.

    The product of two vectors is that of their parts, give or take the product of the lengths of
    their rests (Cauchy-Schwarz). So one pass over the parts leaves few vectors that can be among
    the nearest, and a search remains exact.

    `parts` is float32 in C order, 160 numbers a row in place of 384 and more: the pass reads less
    than half of the memory that the whole vectors take.

    Attributes:
        axes: Orthonormal columns, shape (dim, axes).
        parts: Coordinates of each vector, shape (m, axes).
        rests: Length of what the axes leave of each vector, shape (m,).
    """

    axes: FloatArray
    parts: FloatArray
    rests: FloatArray

    @classmethod
    def loaded(cls, arrays: Arrays, kind: str) -> Self | None:
        """Return what `write_principal_parts` wrote for a kind, None where it wrote nothing."""
        if f"{kind}_axes" not in arrays:
            return None
        return cls(arrays[f"{kind}_axes"], arrays[f"{kind}_parts"], arrays[f"{kind}_rests"])

    def of(self, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the parts of further vectors along these axes, and the lengths of their rests."""
        parts: FloatArray = (vectors @ self.axes).astype(np.float32)
        return parts, _rests(vectors, parts)

    def products(self, queries: FloatArray) -> FloatArray:
        """Return the products of all parts with those of a query or the columns of several."""
        coordinates: FloatArray = self.axes.T @ queries
        found: FloatArray = self.parts @ coordinates
        return found

    def at_least(self, query: FloatArray, products: FloatArray, least: float) -> IntArray:
        """Return the rows whose vectors may have such a product with the query, ascending.

        Args:
            query: Shape (dim,).
            products: Those of the parts with the query's, shape (m,).
            least: The product in question.
        """
        (rest,) = _rests(query[None], (self.axes.T @ query)[None])
        bounds = products + rest * self.rests
        return np.flatnonzero(bounds >= least - _ERROR).astype(np.int32)


def write_principal_parts(folder: Path, kind: str, matrix: PackedArray) -> None:
    """Write the principal parts of a large packed matrix beside it; of a small one, none.

    The axes are those of a regular sample of the rows.
    """
    if len(matrix) < LEAST_VECTORS:
        return
    axes = _principal_axes(unpacked(matrix[:: max(len(matrix) // _SAMPLED, 1)]))
    parts = np.empty((len(matrix), axes.shape[1]), dtype=np.float32)
    rests = np.empty(len(matrix), dtype=np.float32)
    for first in range(0, len(matrix), _BATCH):
        block = unpacked(matrix[first : first + _BATCH])
        parts[first : first + _BATCH] = block @ axes
        rests[first : first + _BATCH] = _rests(block, parts[first : first + _BATCH])
    save_arrays(folder, {f"{kind}_axes": axes, f"{kind}_parts": parts, f"{kind}_rests": rests})


def _principal_axes(sample: FloatArray) -> FloatArray:
    """Return the axes that keep most of the sample's squared lengths, best first."""
    _, vectors = np.linalg.eigh(sample.T.astype(np.float64) @ sample)
    axes: FloatArray = np.ascontiguousarray(vectors[:, ::-1][:, :_AXES], dtype=np.float32)
    return axes


def _rests(vectors: FloatArray, parts: FloatArray) -> FloatArray:
    """Return the lengths that the parts leave of the vectors, shape (vectors,)."""
    squared = _squared_lengths(vectors) - _squared_lengths(parts)
    rests: FloatArray = np.sqrt(np.maximum(squared, 0))
    return rests


def _squared_lengths(rows: FloatArray) -> FloatArray:
    lengths: FloatArray = np.einsum("ij,ij->i", rows, rows)
    return lengths


@dataclass(frozen=True)
class SharedRows:
    """Which row of some vectors each item has.

    Attributes:
        ids: The items' sorted ids, shape (n,).
        row_of: The row of each, shape (n,), -1 for an item without a vector.
        rows: Number of vectors.
    """

    ids: IdArray
    row_of: IntArray
    rows: int

    @cached_property
    def holders(self) -> Csr:
        """The places of the ids that have each row as their vector."""
        places = np.flatnonzero(self.row_of >= 0).astype(np.int32)
        rows = self.row_of[places]
        counts = np.bincount(rows, minlength=self.rows)
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        return Csr(indptr, places[np.argsort(rows, kind="stable")])

    @cached_property
    def _sharing(self) -> IntArray:
        """How many ids have each row as their vector."""
        return np.diff(self.holders.indptr)

    @cached_property
    def unused(self) -> IntArray:
        """The rows that are no item's vector any more."""
        return np.flatnonzero(self._sharing == 0).astype(np.int32)

    def nearest(self, rows: IntArray, products: FloatArray, k: int) -> tuple[IdArray, FloatArray]:
        """Return the ids with the best of these rows' products, best first, ties by id.

        The vectors are ranked before the items, which may be a thousand times as many. Products
        are rounded to 1e-5.
        """
        scores = rounded(products)
        nearest = nearest_places(scores, k)
        if len(nearest) == 0:
            return self.ids[:0], scores[:0]
        enough = int(np.searchsorted(np.cumsum(self._sharing[rows[nearest]]), k))
        chosen = np.flatnonzero(scores >= scores[nearest[min(enough, len(nearest) - 1)]])
        owners, places = self.holders.gather(rows[chosen])
        order = np.argsort(places)
        places, found = places[order], scores[chosen[owners[order]]]
        best = nearest_places(found, k)
        return self.ids[places[best]], found[best]


def rounded(products: FloatArray) -> FloatArray:
    """Return products as they are ranked, so that no order hangs on their last digits."""
    return np.round(products, _DECIMALS)


def nearest_places(scores: FloatArray, k: int) -> IntArray:
    """Return the places of the `k` highest scores, best first, ties by place."""
    if k <= 0 or len(scores) == 0:
        return np.zeros(0, dtype=np.int32)
    candidates = np.arange(len(scores))
    if k < len(scores):
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        above = np.flatnonzero(scores > least)
        equal = np.flatnonzero(scores == least)[: k - len(above)]
        candidates = np.concatenate((above, equal))
    order = np.lexsort((candidates, -scores[candidates]))
    return candidates[order].astype(np.int32)
