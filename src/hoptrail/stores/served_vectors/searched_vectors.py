"""Vectors on a server for the part of a base that one question touches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.served_vectors.served_vector_index import ServedVectorIndex
from hoptrail.stores.snapshot.graph_index import Csr, GraphIndex
from hoptrail.stores.snapshot.vector_rows import nearest_places
from hoptrail.stores.vector_search import Keys, Nearest, ServedKind, ShownVectors

_MOST_OF_AN_ENTITY = 100  # a hub leads anywhere


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
            ahead = partial(self._ahead, indexes, kind, graph) if kind in _AHEAD else None
            indexes[kind] = ServedVectorIndex(
                kind, ids, keys, self.shown, self.dim, ahead=ahead, part=indexes
            )
            if kind in self.nearest:
                indexes[kind].take(self.query, self.nearest[kind], 0)
        return indexes

    def _ahead(
        self,
        indexes: Mapping[ServedKind, ServedVectorIndex],
        kind: ServedKind,
        graph: GraphIndex,
        places: IntArray,
    ) -> IntArray:
        """Return the places of items of a part whose vectors will be needed after those of some.

        Paths go on by the relations around, those near to the question first; words have the
        vectors of all their passages.
        """
        every = np.arange(len(indexes[kind].ids), dtype=np.int32)
        if kind != "relation":
            return every
        scores = indexes[kind].similarities_at(self.query, every)
        around = relations_around(graph, relations_around(graph, places))
        best = nearest_places(scores[around], _MOST_AROUND)
        return np.concatenate((around[best], nearest_places(scores, len(scores))))


_AHEAD: frozenset[ServedKind] = frozenset(("chunk", "relation"))
_MOST_AROUND = 1_000  # relations two steps away


def passages_around(index: GraphIndex, places: IntArray) -> IntArray:
    """Return the passages that mention what passages mention."""
    _, entities = index.chunk_entities.gather(places)
    return _incident(index.entity_chunks, entities)


def relations_around(index: GraphIndex, places: IntArray) -> IntArray:
    """Return the relations of the ends of relations."""
    ends = np.concatenate((index.relation_source[places], index.relation_target[places]))
    return _incident(index.entity_relations, ends)


def _incident(of_entities: Csr, entities: IntArray) -> IntArray:
    distinct = np.unique(entities).astype(np.int32)
    _, found = of_entities.gather(distinct[of_entities.counts(distinct) <= _MOST_OF_AN_ENTITY])
    return np.unique(found).astype(np.int32)


AROUND: dict[ServedKind, Callable[[GraphIndex, IntArray], IntArray]] = {
    "chunk": passages_around,
    "relation": relations_around,
}
