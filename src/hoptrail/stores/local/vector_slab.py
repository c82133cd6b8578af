"""Vectors of many ids in one matrix that grows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray

_FIRST_ROWS = 256


class VectorSlab:
    """Unit vectors by id; rows are only ever added.

    Args:
        dim: Length of a vector, 0 where there are none.
    """

    def __init__(self, dim: int) -> None:
        self._rows: dict[str, int] = {}
        self._matrix = np.zeros((_FIRST_ROWS, dim), dtype=np.float32)

    @property
    def dim(self) -> int:
        """Vector length."""
        return int(self._matrix.shape[1])

    def __len__(self) -> int:
        """Number of vectors."""
        return len(self._rows)

    def __contains__(self, id_: str) -> bool:
        """Whether an id has a vector here."""
        return id_ in self._rows

    def add(self, id_: str, vector: FloatArray) -> None:
        """Keep the vector of an id that has none yet; others stay as they are."""
        if id_ in self._rows:
            return
        row = len(self._rows)
        if row == len(self._matrix):
            larger = np.zeros((2 * row, self.dim), dtype=np.float32)
            larger[:row] = self._matrix
            self._matrix = larger
        self._matrix[row] = vector
        self._rows[id_] = row

    def gathered(self, ids: Sequence[str]) -> tuple[FloatArray, IntArray]:
        """Return the distinct vectors of these ids, and for each id its row, -1 without a vector.

        Shapes (m, dim) and (len(ids),).
        """
        rows = np.array([self._rows.get(id_, -1) for id_ in ids], dtype=np.int32)
        used, places = np.unique(rows[rows >= 0], return_inverse=True)
        row_of = np.full(len(rows), -1, dtype=np.int32)
        row_of[rows >= 0] = places
        return self._matrix[used], row_of
