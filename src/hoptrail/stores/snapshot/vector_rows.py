"""The matrix of distinct vectors behind an index, as it lies in a file."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.stores.records.packed_vectors import is_packed, packed_dim, packed_products, unpacked


class VectorRows:
    """Unit vectors by row: products with all of them, or some of them whole.

    Args:
        matrix: Shape (m, dim), float32; or packed (`packed_vectors`).
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
