"""The role of a server that searches the vectors of a published base.

A vector is found under a key: its item's id, or `predicate_key` for all relations that have no text
of their own and share the vector of their predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.records.stored_values import text_hash
from hoptrail.stores.snapshot.graph_index import GraphIndex

ServedKind = Literal["chunk", "entity", "relation", "report"]
SERVED_KINDS: tuple[ServedKind, ...] = ("chunk", "entity", "relation", "report")
"""The kinds of items whose vectors are published."""

_OF_PREDICATE = "predicate/"


def predicate_key(predicate: str) -> str:
    """Return the key of the vector that relations without a text share."""
    return _OF_PREDICATE + text_hash(predicate)


def is_predicate_key(key: str) -> bool:
    """Whether a key is that of a predicate."""
    return key.startswith(_OF_PREDICATE)


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """The vectors that are nearest to a query, best first.

    Attributes:
        keys: Their keys.
        scores: Inner products with the query, shape (len(keys),).
        triples: Source, predicate and target by key, where they were asked for; the key of a
            predicate has no ends.
    """

    keys: Sequence[str]
    scores: FloatArray
    triples: Mapping[str, tuple[str, str, str]]


class ShownVectors(Protocol):
    """The vectors of one generation; usable from any thread."""

    @property
    def counts(self) -> Mapping[ServedKind, int]:
        """How many vectors there are of each kind."""
        ...

    def nearest(
        self,
        queries: FloatArray,
        most: Mapping[ServedKind, int],
        *,
        with_triples: bool = False,
    ) -> Mapping[ServedKind, list[Nearest]]:
        """Return for each kind and query the nearest vectors, all in one round of searches.

        Args:
            queries: Unit vectors, shape (q, dim).
            most: How many are wanted of each kind.
            with_triples: Whether to tell the triples of relations.

        Raises:
            StoreError: If the server fails.
        """
        ...

    def scores(
        self, queries: FloatArray, keys: Mapping[ServedKind, Sequence[str]]
    ) -> Mapping[ServedKind, FloatArray]:
        """Return the inner products of given vectors with queries, all in one round of searches.

        Args:
            queries: Shape (q, dim).
            keys: Of the vectors of each kind.

        Returns:
            For each kind the shape (q, its keys), NaN for unknown keys.

        Raises:
            StoreError: If the server fails.
        """
        ...

    def vectors(
        self,
        kind: ServedKind,
        keys: Sequence[str],
        *,
        ahead: Callable[[], Sequence[str]] = tuple,
    ) -> FloatArray:
        """Return vectors by key, shape (len(keys), dim), zeros for unknown keys.

        Args:
            kind: Of the vectors.
            keys: What is asked for.
            ahead: Tells further keys that will be asked for next; called where the server has to be
                asked, which is then asked for these too.

        Raises:
            StoreError: If the server fails.
        """
        ...


class VectorSearch(Protocol):
    """A server that searches the vectors of a published base."""

    def shown(self, generation: int) -> ShownVectors | None:
        """Return the vectors of a generation, None where they are not published, or no more.

        Raises:
            StoreError: If the server fails.
        """


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
