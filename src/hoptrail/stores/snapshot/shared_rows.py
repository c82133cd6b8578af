"""Items that share vectors: from the best vectors to the best items."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.snapshot.graph_index import Csr

_DECIMALS = 5


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
