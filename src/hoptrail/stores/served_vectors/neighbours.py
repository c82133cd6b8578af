"""Which items of a graph a search comes upon after others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hoptrail.core.embedding import IntArray
from hoptrail.stores.snapshot.graph_index import Csr, GraphIndex
from hoptrail.stores.vector_search import ServedKind

_MOST_OF_AN_ENTITY = 100  # a hub leads anywhere


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
