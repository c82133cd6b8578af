"""Vectors on a server for the part of a base that one question touches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.served_vectors.keys import Keys
from hoptrail.stores.served_vectors.neighbours import relations_around
from hoptrail.stores.served_vectors.served_vector_index import ServedVectorIndex
from hoptrail.stores.snapshot.graph_index import GraphIndex
from hoptrail.stores.vector_search import Nearest, ServedKind, ShownVectors


@dataclass(frozen=True, slots=True, eq=False)
class SearchedVectors:
    """The finds of a server for a question, and where it is asked for more.

    Attributes:
        shown: The server's vectors.
        dim: Vector length.
        query: The question's unit vector, shape (dim,).
        nearest: The nearest to it by kind.
    """

    shown: ShownVectors
    dim: int
    query: FloatArray
    nearest: Mapping[ServedKind, Nearest]

    def of(
        self, items: Mapping[ServedKind, tuple[IdArray, Keys]], graph: GraphIndex
    ) -> dict[ServedKind, ServedVectorIndex]:
        """Return the vectors of a part of the base.

        Args:
            items: The sorted ids of the part's items by kind, with the keys of their vectors.
            graph: Of the part.
        """
        indexes: dict[ServedKind, ServedVectorIndex] = {}
        for kind, (ids, keys) in items.items():
            ahead = partial(_AHEAD[kind], graph) if kind in _AHEAD else None
            indexes[kind] = ServedVectorIndex(
                kind, ids, keys, self.shown, self.dim, ahead=ahead, part=indexes
            )
            if kind in self.nearest:
                indexes[kind].take(self.query, self.nearest[kind], 0)
        return indexes


def _all_passages(graph: GraphIndex, places: IntArray) -> IntArray:
    """Return the passages of a part: the vectors of its words are made of all of them."""
    return np.arange(len(graph.chunk_ids), dtype=np.int32)


_AHEAD: dict[ServedKind, Callable[[GraphIndex, IntArray], IntArray]] = {
    "chunk": _all_passages,
    "relation": relations_around,
}
