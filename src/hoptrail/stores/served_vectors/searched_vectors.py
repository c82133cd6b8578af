"""Vectors on a server for the part of a base that one question touches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hoptrail.core.embedding import FloatArray, IdArray
from hoptrail.stores.served_vectors.keys import Keys
from hoptrail.stores.served_vectors.served_vector_index import ServedVectorIndex
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

    def of(self, kind: ServedKind, ids: IdArray, keys: Keys) -> ServedVectorIndex:
        """Return the vectors of items of a kind, by their sorted ids."""
        index = ServedVectorIndex(kind, ids, keys, self.shown, self.dim, is_part=True)
        if kind in self.nearest:
            index.take(self.query, self.nearest[kind], 0)
        return index
