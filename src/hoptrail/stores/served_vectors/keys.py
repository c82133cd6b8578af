"""The keys under which a server has the vectors of items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import IdArray, IntArray
from hoptrail.stores.snapshot.graph_index import GraphIndex
from hoptrail.stores.vector_search import predicate_key


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """The keys of vectors, and which one each item has.

    Attributes:
        sorted: The distinct keys, ascending, shape (m,).
        of_items: The place of each item's key, shape (n,), -1 for an item without a vector.
    """

    sorted: IdArray
    of_items: IntArray

    @classmethod
    def own(cls, ids: IdArray) -> Keys:
        """Return the keys of items that have a vector each, under their sorted ids."""
        return cls(ids, np.arange(len(ids), dtype=np.int32))

    @classmethod
    def of_relations(cls, index: GraphIndex, is_bare: NDArray[np.bool_]) -> Keys:
        """Return the keys of relations, of which bare ones share that of their predicate.

        Args:
            index: The graph.
            is_bare: Whether each relation has no text of its own, shape (relations,).
        """
        if not is_bare.any():
            return cls.own(index.relation_ids)
        used, predicate_of = np.unique(index.relation_predicate[is_bare], return_inverse=True)
        shared = np.array([predicate_key(str(name)) for name in index.predicates[used]])
        own = index.relation_ids[~is_bare]
        keys, places = np.unique(np.concatenate((own, shared)), return_inverse=True)
        of_items = np.empty(len(index.relation_ids), dtype=np.int32)
        of_items[~is_bare] = places[: len(own)]
        of_items[is_bare] = places[len(own) :][predicate_of]
        return cls(keys, of_items)
