"""Unit vectors as whole numbers: a row is a number per component, and what 1 stands for in it.

The largest component of a vector is the largest number of its type, or minus that; the four bytes
behind the last one hold the scale as a float32. Numbers of one byte take a quarter of the vectors'
bytes, and products differ from those of whole vectors by .0004 on average (384 dimensions): less
than the static models whose vectors are stored so differ from the models that they were learned
from. Numbers of two bytes take half; products differ by .000002, less than they are rounded to.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray

PackedArray = NDArray[Any]
"""int8, shape (n, dim + 4), or int16, shape (n, dim + 2)."""

COARSE: np.dtype[Any] = np.dtype(np.int8)
FINE: np.dtype[Any] = np.dtype(np.int16)
SCALE_BYTES = 4
_LEAST_COMPONENTS = 3
_BLOCK = 1024  # rows turned to floats at a time: what the cache holds


def packed(vectors: FloatArray, dtype: np.dtype[Any] = COARSE) -> PackedArray:
    """Return vectors of shape (n, dim) as rows of whole numbers with their scale."""
    most = np.iinfo(dtype).max
    scales = (np.abs(vectors).max(axis=1, initial=0) / most).astype("<f4")
    dim = vectors.shape[1]
    rows = np.empty((len(vectors), packed_width(dim, dtype)), dtype=dtype)
    divisors = np.where(scales > 0, scales, np.float32(1))
    rows[:, :dim] = np.clip(np.rint(vectors / divisors[:, None]), -most, most)
    rows[:, dim:] = scales[:, None].view(dtype)
    return rows


def stored_rows(vectors: FloatArray, *, exact: bool = False) -> list[bytes]:
    """Return vectors as a table stores them: fine, or as they are where that is asked for.

    So few components that both forms are of one length are stored as they are.
    """
    if exact or vectors.shape[1] < _LEAST_COMPONENTS:
        return [row.tobytes() for row in np.ascontiguousarray(vectors, dtype="<f4")]
    return [row.tobytes() for row in packed(vectors, FINE)]


def packed_width(dim: int, dtype: np.dtype[Any]) -> int:
    """Return how many numbers a packed vector of this length takes."""
    return dim + SCALE_BYTES // dtype.itemsize


def is_packed(rows: NDArray[Any]) -> bool:
    """Return whether these are packed vectors, not vectors as they are."""
    return rows.dtype in (COARSE, FINE)


def packed_dim(rows: PackedArray) -> int:
    """Return the length of the packed vectors."""
    return int(rows.shape[1]) - SCALE_BYTES // rows.dtype.itemsize


def unpacked(rows: PackedArray) -> FloatArray:
    """Return the vectors of packed rows, float32, shape (n, dim)."""
    vectors: FloatArray = rows[:, : packed_dim(rows)].astype(np.float32)
    vectors *= scales_of(rows)[:, None]
    return vectors


def scales_of(rows: PackedArray) -> FloatArray:
    """Return what 1 stands for in each row, shape (n,)."""
    found: FloatArray = np.ascontiguousarray(rows[:, packed_dim(rows) :]).view("<f4")[:, 0]
    return found


def packed_products(rows: PackedArray, queries: FloatArray) -> FloatArray:
    """Return the products of all vectors with one query or the columns of several.

    Args:
        rows: Packed vectors.
        queries: Shape (dim,) or (dim, m).
    """
    dim = packed_dim(rows)
    products = np.empty((len(rows), *queries.shape[1:]), dtype=np.float32)
    block = np.empty((min(_BLOCK, len(rows)), dim), dtype=np.float32)
    for first in range(0, len(rows), _BLOCK):
        part = rows[first : first + _BLOCK]
        np.copyto(block[: len(part)], part[:, :dim])
        np.matmul(block[: len(part)], queries, out=products[first : first + _BLOCK])
    scales = scales_of(rows)
    products *= scales if queries.ndim == 1 else scales[:, None]
    return products
