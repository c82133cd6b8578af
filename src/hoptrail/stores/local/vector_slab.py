"""Vectors of many ids that grow in number, held in two bytes a component."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoptrail.core.embedding import FloatArray, IntArray

_BLOCK = 2_048  # rows of a block: nothing is copied when one is full
_STEPS = 32_767  # from 0 to 1


class VectorSlab:
    """Unit vectors by id; rows are only ever added.

    Components are held as whole numbers of 1/32,767, half of the memory that they came in:
    similarities differ by some 1e-5.

    Args:
        dim: Length of a vector, 0 where there are none.
    """

    def __init__(self, dim: int) -> None:
        self._dim = dim
        self._rows: dict[str, int] = {}
        self._blocks: list[NDArray[np.int16]] = []

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._dim

    def __len__(self) -> int:
        """Number of vectors."""
        return len(self._rows)

    def __contains__(self, id_: str) -> bool:
        """Whether an id has a vector here."""
        return id_ in self._rows

    def add(self, id_: str, vector: ArrayLike) -> None:
        """Keep the vector of an id that has none yet; others stay as they are."""
        if id_ not in self._rows:
            row = self._new_row(id_)
            row[:] = np.rint(np.multiply(vector, _STEPS, dtype=np.float32))

    def within(self, ids: Iterable[str]) -> VectorSlab:
        """Return the vectors of these ids alone, those without one left out."""
        kept = VectorSlab(self._dim)
        kept.take(self, ids)
        return kept

    def take(self, other: VectorSlab, ids: Iterable[str] | None = None) -> None:
        """Take over the vectors of ids that have none here yet, by default of all that it has."""
        rows = other._rows
        for id_ in list(rows) if ids is None else ids:
            row = rows.get(id_)
            if row is not None and id_ not in self._rows:
                block, place = divmod(row, _BLOCK)
                self._new_row(id_)[:] = other._blocks[block][place]

    def gathered(self, ids: Sequence[str]) -> tuple[FloatArray, IntArray]:
        """Return the distinct vectors of these ids, and for each id its row, -1 without a vector.

        Shapes (m, dim) and (len(ids),).
        """
        rows = np.array([self._rows.get(id_, -1) for id_ in ids], dtype=np.int32)
        used, places = np.unique(rows[rows >= 0], return_inverse=True)
        row_of = np.full(len(rows), -1, dtype=np.int32)
        row_of[rows >= 0] = places
        found: FloatArray = np.empty((len(used), self._dim), dtype=np.float32)
        starts = np.searchsorted(used, np.arange(len(self._blocks) + 1) * _BLOCK)
        for number, block in enumerate(self._blocks):
            inside = slice(starts[number], starts[number + 1])
            found[inside] = block[used[inside] - number * _BLOCK]
        found /= _STEPS
        return found, row_of

    def _new_row(self, id_: str) -> NDArray[np.int16]:
        """Return the row of an id that has none yet, to be written."""
        block, place = divmod(len(self._rows), _BLOCK)
        if block == len(self._blocks):
            self._blocks.append(np.zeros((_BLOCK, self._dim), dtype=np.int16))
        self._rows[id_] = block * _BLOCK + place
        row: NDArray[np.int16] = self._blocks[block][place]
        return row
