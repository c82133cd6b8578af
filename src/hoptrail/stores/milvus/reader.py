"""Searches the published vectors of a base."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from cachetools import LRUCache

from hoptrail.core.embedding import FloatArray
from hoptrail.stores.milvus import expressions
from hoptrail.stores.milvus.connection import Connection
from hoptrail.stores.milvus.pointer import Edition, Pointer
from hoptrail.stores.milvus.rows import Row, parts
from hoptrail.stores.milvus.schema import collection_of
from hoptrail.stores.vector_search import SERVED_KINDS, Nearest, ServedKind

_KNOWN_SECONDS = 20.0  # less than the time for which a past edition stays
_KEYS_A_SEARCH = 4_000
_KEYS_A_QUERY = 1_000
_HELD = 20_000  # vectors of a kind
_TRIPLE = ("source", "predicate", "target")


class MilvusReader:
    """The `VectorSearch` of a base; open as long as its connection.

    Args:
        connection: To the server.
        kb: The base's name there.
    """

    def __init__(self, connection: Connection, kb: str) -> None:
        self._connection = connection
        self._kb = kb
        self._lock = threading.Lock()
        self._read_at = -_KNOWN_SECONDS
        self._pointer = Pointer(kb)
        self._shown: MilvusVectors | None = None

    def shown(self, generation: int) -> MilvusVectors | None:
        """Return the vectors of a generation, None where they are not published, or no more.

        The pointer is read again after 20 seconds, for an edition may be replaced by another of
        the same generation.

        Raises:
            StoreError: If the server fails.
        """
        with self._lock:
            edition = self._pointer.edition_of(generation)
            if edition is None or time.monotonic() - self._read_at > _KNOWN_SECONDS:
                self._pointer = Pointer.read(self._connection, self._kb)
                self._read_at = time.monotonic()
                edition = self._pointer.edition_of(generation)
            base = self._pointer.base
            if edition is None or base is None or not base.dim:
                return None
            if self._shown is None or self._shown.edition != edition:
                self._shown = MilvusVectors(self._connection, self._kb, edition, base.dim)
            return self._shown


class MilvusVectors:
    """The vectors of one edition.

    Args:
        connection: To the server.
        kb: The base's name there.
        edition: The edition.
        dim: Vector length.

    Attributes:
        counts: How many vectors there are of each kind.
    """

    def __init__(self, connection: Connection, kb: str, edition: Edition, dim: int) -> None:
        self._connection = connection
        self.edition = edition
        self._condition = expressions.shown_in(kb, edition.number, edition.floor)
        self._lock = threading.Lock()
        self._held: dict[ServedKind, LRUCache[str, FloatArray]] = {}
        self._dim = dim
        # Once the server has counted all rows, no later search misses one.
        self.counts: Mapping[ServedKind, int] = dict(
            zip(
                SERVED_KINDS,
                connection.in_parallel([partial(self._count, kind) for kind in SERVED_KINDS]),
                strict=True,
            )
        )

    def nearest(
        self,
        queries: FloatArray,
        most: Mapping[ServedKind, int],
        *,
        with_triples: bool = False,
    ) -> Mapping[ServedKind, list[Nearest]]:
        """Return for each kind and query the nearest vectors, all in one round of searches.

        Raises:
            StoreError: If the server fails.
        """
        vectors = [query.tolist() for query in queries]
        kinds: list[ServedKind] = [kind for kind in most if most[kind] > 0]
        found = (
            self._connection.in_parallel(
                [
                    partial(
                        self._nearest,
                        kind,
                        vectors,
                        most[kind],
                        with_triples=with_triples and kind == "relation",
                    )
                    for kind in kinds
                ]
            )
            if kinds
            else []
        )
        nothing = Nearest((), np.zeros(0, dtype=np.float32), {})
        nearest: dict[ServedKind, list[Nearest]] = {kind: [nothing] * len(vectors) for kind in most}
        nearest.update(zip(kinds, found, strict=True))
        return nearest

    def scores(
        self, queries: FloatArray, keys: Mapping[ServedKind, Sequence[str]]
    ) -> Mapping[ServedKind, FloatArray]:
        """Return the inner products of given vectors with queries, all in one round of searches.

        Raises:
            StoreError: If the server fails.
        """
        vectors = [query.tolist() for query in queries]
        asked: list[tuple[ServedKind, Sequence[str]]] = [
            (kind, some) for kind in keys for some in parts(keys[kind], _KEYS_A_SEARCH)
        ]
        answers = self._connection.in_parallel(
            [partial(self._scores, kind, vectors, some) for kind, some in asked]
        )
        found: dict[ServedKind, FloatArray] = {}
        for kind in keys:
            own = [scores for (of, _), scores in zip(asked, answers, strict=True) if of == kind]
            nothing = np.zeros((len(queries), 0), dtype=np.float32)
            found[kind] = np.concatenate([nothing, *own], axis=1)
        return found

    def vectors(
        self,
        kind: ServedKind,
        keys: Sequence[str],
        *,
        ahead: Callable[[], Sequence[str]] = tuple,
    ) -> FloatArray:
        """Return vectors by key, shape (len(keys), dim), zeros for unknown keys.

        Raises:
            StoreError: If the server fails.
        """
        found = self._known(kind, keys)
        missing = [key for key in keys if key not in found]
        if missing:
            further = ahead()
            known = self._known(kind, further)
            wanted = dict.fromkeys([*missing, *(key for key in further if key not in known)])
            new = self._fetched(kind, list(wanted))
            found |= new
            with self._lock:
                self._held[kind].update(new)
        nothing = np.zeros(self._dim, dtype=np.float32)
        return np.array([found.get(key, nothing) for key in keys]).reshape(len(keys), self._dim)

    def _fetched(self, kind: ServedKind, keys: Sequence[str]) -> dict[str, FloatArray]:
        """Return vectors by key that are read in one round."""
        tasks = [partial(self._fetch, kind, some) for some in parts(keys, _KEYS_A_QUERY)]
        return {
            row["item_id"]: np.asarray(row["vector"], dtype=np.float32)
            for rows in self._connection.in_parallel(tasks)
            for row in rows
        }

    def _known(self, kind: ServedKind, keys: Sequence[str]) -> dict[str, FloatArray]:
        """Return the vectors that are held."""
        with self._lock:
            held = self._held.setdefault(kind, LRUCache(_HELD))
            return {key: held[key] for key in keys if key in held}

    def _collection(self, kind: ServedKind) -> str:
        return collection_of(kind, self.edition.space)

    def _count(self, kind: ServedKind) -> int:
        collection = self._collection(kind)
        self._connection.load(collection)
        return self._connection.count(collection, self._condition)

    def _nearest(
        self, kind: ServedKind, vectors: list[list[float]], most: int, *, with_triples: bool
    ) -> list[Nearest]:
        fields = ("item_id", *_TRIPLE) if with_triples else ("item_id",)
        found = self._connection.search(
            self._collection(kind), vectors, most, self._condition, fields
        )
        return [_nearest_of(hits, with_triples=with_triples) for hits in found]

    def _scores(
        self, kind: ServedKind, vectors: list[list[float]], keys: Sequence[str]
    ) -> FloatArray:
        among = expressions.both(self._condition, expressions.is_one_of("item_id", keys))
        found = self._connection.search(
            self._collection(kind), vectors, len(keys), among, ("item_id",)
        )
        score_of = [{hit["entity"]["item_id"]: hit["distance"] for hit in hits} for hits in found]
        told = [[scores.get(key, np.nan) for key in keys] for scores in score_of]
        return np.array(told, dtype=np.float32).reshape(len(vectors), len(keys))

    def _fetch(self, kind: ServedKind, keys: Sequence[str]) -> list[Row]:
        among = expressions.both(self._condition, expressions.is_one_of("item_id", keys))
        return self._connection.query(self._collection(kind), among, ("item_id", "vector"))


def _nearest_of(hits: Sequence[Row], *, with_triples: bool) -> Nearest:
    rows = [hit["entity"] for hit in hits]
    triples = {
        row["item_id"]: (row["source"], row["predicate"], row["target"])
        for row in (rows if with_triples else ())
    }
    scores = np.array([hit["distance"] for hit in hits], dtype=np.float32)
    return Nearest([row["item_id"] for row in rows], scores, triples)
