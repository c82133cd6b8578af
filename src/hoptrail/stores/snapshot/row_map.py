"""Sorted ids that are joined by others: where each row of an array goes, and what follows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.snapshot.arrays import id_array, row_numbers
from hoptrail.stores.snapshot.graph_index import Csr, rows_of


@dataclass(frozen=True, slots=True)
class RowMap:
    """From the rows of sorted ids to those of later ones.

    Attributes:
        ids: The later ids, sorted, shape (n,).
        of_old: The later row of each earlier one, shape (m,), -1 where its id is gone; ascending
            but for those.
        put: The later rows whose items are new or differ, ascending.
    """

    ids: IdArray
    of_old: IntArray
    put: IntArray

    @classmethod
    def of(cls, ids: IdArray, put: Iterable[str], gone: Iterable[str] = ()) -> RowMap:
        """Return the map from sorted ids to those with others put and some gone.

        Args:
            ids: The earlier ids.
            put: Ids that are new, or whose items differ.
            gone: Ids that are there no more, unless they are put.
        """
        wanted = np.unique(id_array(put))
        leaves, differs = rows_of(ids, id_array(gone)), rows_of(ids, wanted)
        stays = np.ones(len(ids), dtype=np.bool_)
        stays[leaves[leaves >= 0]] = False
        stays[differs[differs >= 0]] = True
        kept = ids[stays]
        new = wanted[rows_of(kept, wanted) < 0]
        width = np.result_type(kept.dtype, new.dtype)
        wide = kept.astype(width, copy=False)
        places = np.searchsorted(wide, new.astype(width))
        joined = np.insert(wide, places, new)
        shift = np.cumsum(np.bincount(places, minlength=len(kept) + 1))[: len(kept)]
        of_old = np.full(len(ids), -1, dtype=np.int32)
        of_old[stays] = np.arange(len(kept)) + shift
        return cls(joined, of_old, rows_of(joined, wanted))

    def moved(self, rows: IntArray) -> IntArray:
        """Return the later rows of earlier ones; -1 for -1."""
        return np.append(self.of_old, np.int32(-1))[rows]

    def spread(self, values: NDArray[Any], fill: Any = 0) -> NDArray[Any]:
        """Return a value for each later row: that of the earlier one, or `fill` where it is new."""
        later = np.full(len(self.ids), fill, dtype=values.dtype)
        stays = self.of_old >= 0
        later[self.of_old[stays]] = values[stays]
        return later

    @property
    def is_put(self) -> NDArray[np.bool_]:
        """Whether each later row's item is new or differs, shape (n + 1,); the last is for -1."""
        marks = np.zeros(len(self.ids) + 1, dtype=np.bool_)
        marks[self.put] = True
        return marks


def joined_pairs(
    matrix: Csr,
    rows: RowMap,
    columns: RowMap,
    new: tuple[IntArray, IntArray],
    data: FloatArray | None = None,
    *,
    stale_rows: bool = False,
    stale_columns: bool = False,
) -> Csr:
    """Return a sparse matrix with its rows and columns moved and pairs added.

    Args:
        matrix: The earlier one; its columns ascend in each row.
        rows: Where its rows go.
        columns: Where its columns go.
        new: Rows and columns of the pairs to add, none twice.
        data: What stands beside these, where the matrix has data.
        stale_rows: Whether the rows that were put lose their earlier pairs.
        stale_columns: Whether the columns that were put do.
    """
    row, column = rows.moved(row_numbers(matrix)), columns.moved(matrix.indices)
    valid = (row >= 0) & (column >= 0)
    if stale_rows:
        valid &= ~rows.is_put[row]
    if stale_columns:
        valid &= ~columns.is_put[column]
    width = max(len(columns.ids), 1)
    known = row[valid].astype(np.int64) * width + column[valid]
    order = np.lexsort((new[1], new[0]))
    added = new[0][order].astype(np.int64) * width + new[1][order]
    places = np.searchsorted(known, added)
    keys = np.insert(known, places, added)
    counts = np.bincount(keys // width, minlength=len(rows.ids))
    values = None
    if matrix.data is not None and data is not None:
        values = np.insert(matrix.data[valid], places, data[order])
    return Csr(
        np.concatenate(([0], np.cumsum(counts))).astype(np.int32),
        (keys % width).astype(np.int32),
        values,
    )
