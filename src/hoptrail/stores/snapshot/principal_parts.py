"""The parts of vectors along their principal axes, by which most far ones are told from near."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.stores.records.packed_vectors import PackedArray, unpacked
from hoptrail.stores.snapshot.arrays import Arrays, save_arrays

LEAST_VECTORS = 100_000  # fewer are searched in milliseconds as they are
_AXES = 160
_SAMPLED = 20_000
_BATCH = 8192
_ERROR = 2e-5  # of rounded products


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
