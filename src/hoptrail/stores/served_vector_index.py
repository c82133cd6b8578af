"""The vectors of one kind of items as retrievers see them, with a server that searches them.

No vector is held here but those that a retriever asks for: the server is asked for what is nearest
to a query, once for each query, and for the similarities of further items as they are come upon.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

import numpy as np

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.core.lru_cache import LruCache
from hoptrail.stores.snapshot.graph_index import Csr, GraphIndex, rows_of
from hoptrail.stores.snapshot.vector_index import ItemVectors
from hoptrail.stores.vector_search import Keys, Nearest, ServedKind, ShownVectors

DEPTHS: dict[ServedKind, int] = {"chunk": 2_000, "entity": 500, "relation": 8_000, "report": 500}
"""How many of the nearest a query is answered with: what is further away counts half as much as
the last of them where a retriever weighs all items, and is asked for where it weighs some."""
_BEYOND = 0.5  # chosen with `ppr` on 24 questions of MuSiQue (train100), among 0, 0.5 and 0.75
_ASKED_AT_ONCE = 2_000  # similarities that no search needs yet are asked for up to here
_VECTORS_AHEAD = 2_000
_ASKED_TOGETHER: frozenset[ServedKind] = frozenset(("chunk", "relation"))
"""Kinds of which, in a part of a base, nearly every retriever needs all similarities."""
_MOST_OF_AN_ENTITY = 100  # a hub leads anywhere
_QUERIES = 64  # whose similarities are remembered: a question is asked through many channels


class ServedVectorIndex(ItemVectors):
    """The `VectorIndex` over vectors on a server.

    Args:
        kind: Of the items.
        ids: Their sorted ids, shape (n,).
        keys: The keys of their vectors.
        shown: The server's vectors of the generation.
        dim: Vector length.
        around: Gives the places of items that a search comes upon after those at some places: where
            the similarities of these are asked for, those of the others are too.
        ahead: The same for vectors.
        part: The indexes of all kinds, this among them, where the items are a small part of the
            base's. Then the similarities of all of them are asked for, and not what is nearest
            among all items of the base; those of several kinds in one round.
    """

    def __init__(
        self,
        kind: ServedKind,
        ids: IdArray,
        keys: Keys,
        shown: ShownVectors,
        dim: int,
        *,
        around: Callable[[IntArray], IntArray] | None = None,
        ahead: Callable[[IntArray], IntArray] | None = None,
        part: Mapping[ServedKind, ServedVectorIndex] | None = None,
    ) -> None:
        super().__init__(ids, keys.of_items, len(keys.sorted))
        self.kind: ServedKind = kind
        self._keys = keys.sorted
        self._shown = shown
        self._dim = dim
        self._around = around
        self._ahead = ahead
        self._part = part
        self._known: LruCache[bytes, KnownScores] = LruCache(_QUERIES)

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._dim

    @property
    def depth(self) -> int:
        """How many of the nearest a query is answered with."""
        return min(DEPTHS[self.kind], self._shown.counts[self.kind])

    def lacks(self, query: FloatArray) -> bool:
        """Whether the nearest of a query, shape (dim,), are still to be asked for."""
        return self._scores_of(query).depth < self.depth

    def take(self, query: FloatArray, nearest: Nearest, most: int) -> None:
        """Note what the server found nearest to a query, of which `most` were wanted."""
        rows = rows_of(self._keys, np.asarray(nearest.keys, dtype=np.str_))
        is_known = rows >= 0
        self._scores_of(query).add(rows[is_known], nearest.scores[is_known], most)

    def search_many(self, queries: FloatArray, k: int) -> list[tuple[IdArray, FloatArray]]:
        """Return for each query, shape (q, dim), what `search` does; all in one round trip."""
        if k <= 0 or len(self._keys) == 0:
            return [(self.ids[:0], np.zeros(0, dtype=np.float32)) for _ in queries]
        self._ask_nearest(queries, k)
        return [self._items.nearest(*self._scores_of(query).all(), k) for query in queries]

    def similarities(self, query: FloatArray, ids: Sequence[str] | IdArray) -> FloatArray:
        """Return the similarity of each id, shape (len(ids),); 0 where an id has no vector.

        Of all ids at once, those beyond the nearest count half as much as the last. Several
        queries, shape (dim, m), give the shape (len(ids), m).
        """
        if isinstance(ids, np.ndarray) and len(ids) == len(self.ids):
            queries = query.T if query.ndim > 1 else query[None]
            self._ask_nearest(queries, 0)
            columns = [self._of_all(one) for one in queries]
            return columns[0] if query.ndim == 1 else np.stack(columns, axis=1)
        return self._similarities(query, self._rows(ids))

    def scorer(self, query: FloatArray) -> Callable[[IntArray], FloatArray]:
        """Return `similarities_at` for one query, shape (dim,), to be asked again and again."""
        return lambda places: self.similarities_at(query, places)

    def _similarities(self, query: FloatArray, rows: IntArray) -> FloatArray:
        queries = query.T if query.ndim > 1 else query[None]
        self._ask_for(queries, rows)
        columns = [self._at(one, rows) for one in queries]
        return columns[0] if query.ndim == 1 else np.stack(columns, axis=1)

    def _vectors(self, rows: IntArray) -> FloatArray:
        found = np.zeros((len(rows), self._dim), dtype=np.float32)
        known = rows >= 0
        if known.any():
            distinct, places = np.unique(rows[known], return_inverse=True)
            keys = self._keys[distinct].tolist()
            ahead = partial(self._keys_ahead, distinct.astype(np.int32))
            found[known] = self._shown.vectors(self.kind, keys, ahead=ahead)[places]
        return found

    def _keys_ahead(self, rows: IntArray) -> list[str]:
        """Return the keys of vectors that will be asked for after those of some rows."""
        if self._ahead is None:
            return []
        _, places = self._items.holders.gather(rows)
        further = self._row_of[self._ahead(places)]
        distinct = dict.fromkeys(further[further >= 0].tolist())
        keys: list[str] = self._keys[list(islice(distinct, _VECTORS_AHEAD))].tolist()
        return keys

    def _of_all(self, query: FloatArray) -> FloatArray:
        """Return the similarity of every item, a guess beyond the nearest."""
        known = self._scores_of(query)
        rows, scores = known.all()
        by_row = np.full(len(self._keys) + 1, _BEYOND * known.least, dtype=np.float32)
        by_row[-1] = 0.0  # an item without a vector asks there
        by_row[rows] = scores
        found: FloatArray = by_row[self._row_of]
        return found

    def _at(self, query: FloatArray, rows: IntArray) -> FloatArray:
        """Return the similarities of rows that are known."""
        found = np.zeros(len(rows), dtype=np.float32)
        found[rows >= 0] = self._scores_of(query).at(rows[rows >= 0])
        return found

    def _ask_for(self, queries: FloatArray, rows: IntArray) -> None:
        """Ask for those similarities of rows that are not known, and for what is needed next."""
        missing = self._unknown(queries, np.unique(rows[rows >= 0]))
        if len(missing) == 0:
            return
        asked: dict[ServedKind, IntArray] = {}
        if self._part is None:
            asked[self.kind] = self._with_more(queries, missing)
            indexes: Mapping[ServedKind, ServedVectorIndex] = {self.kind: self}
        else:
            asked[self.kind] = missing
            indexes = self._part
            for kind in _ASKED_TOGETHER & self._part.keys():
                every = np.arange(len(self._part[kind]._keys), dtype=np.int32)
                asked[kind] = self._part[kind]._unknown(queries, every)
        keys: dict[ServedKind, list[str]] = {
            kind: indexes[kind]._keys[some].tolist() for kind, some in asked.items() if len(some)
        }
        answer = self._shown.scores(queries, keys)
        for kind, scores in answer.items():
            for query, own in zip(queries, scores, strict=True):
                indexes[kind]._scores_of(query).add(asked[kind], np.nan_to_num(own))

    def _unknown(self, queries: FloatArray, rows: IntArray) -> IntArray:
        """Return those of some rows whose similarity to one of the queries is not known."""
        is_unknown = np.zeros(len(rows), dtype=np.bool_)
        for query in queries:
            is_unknown |= np.isnan(self._scores_of(query).at(rows))
        return rows[is_unknown]

    def _with_more(self, queries: FloatArray, missing: IntArray) -> IntArray:
        """Return rows that are to be asked for with those that a search will need after them."""
        if self._around is None:
            return missing
        more = self._unknown(queries, self._beyond(missing, self._around))
        return np.concatenate((missing, more[: max(0, _ASKED_AT_ONCE - len(missing))]))

    def _beyond(self, rows: IntArray, around: Callable[[IntArray], IntArray]) -> IntArray:
        """Return the rows of the items around those that have some rows, these left out."""
        _, places = self._items.holders.gather(rows)
        found = self._row_of[around(places)]
        return np.setdiff1d(found[found >= 0], rows)

    def _ask_nearest(self, queries: FloatArray, k: int) -> None:
        """Ask for at least the `k` nearest of queries, as far as they are not known."""
        if self._part is not None:
            self._ask_for(queries, np.arange(len(self._keys), dtype=np.int32))
            return
        wanted = max(self.depth, min(k, len(self._keys)))
        new = [query for query in queries if self._scores_of(query).depth < wanted]
        if new and wanted:
            found = self._shown.nearest(np.stack(new), {self.kind: wanted})[self.kind]
            for query, nearest in zip(new, found, strict=True):
                self.take(query, nearest, wanted)

    def _scores_of(self, query: FloatArray) -> KnownScores:
        return self._known.get(np.ascontiguousarray(query).tobytes(), KnownScores)


def ask_in_one_round(
    indexes: Sequence[ServedVectorIndex], shown: ShownVectors, query: FloatArray
) -> None:
    """Ask for the nearest of a query of several kinds at once.

    Raises:
        StoreError: If the server fails.
    """
    lacking = [index for index in indexes if index.lacks(query)]
    if lacking:
        most: dict[ServedKind, int] = {index.kind: index.depth for index in lacking}
        found = shown.nearest(query[None], most)
        for index in lacking:
            index.take(query, found[index.kind][0], most[index.kind])


@dataclass(slots=True, eq=False)
class KnownScores:
    """Similarities of some vectors by row, ascending; usable from any thread.

    Attributes:
        depth: How many of the nearest vectors are among them.
        least: The score of the last of these.
    """

    depth: int = 0
    least: float = 0.0
    _rows: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    _scores: FloatArray = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, rows: IntArray, scores: FloatArray, depth: int = 0) -> None:
        """Note scores; with a depth, they are those of so many nearest."""
        with self._lock:
            merged, first = np.unique(np.concatenate((self._rows, rows)), return_index=True)
            both = np.concatenate((self._scores, scores.astype(np.float32)))
            self._rows, self._scores = merged.astype(np.int32), both[first]
            if depth > self.depth:
                self.depth = depth
                self.least = max(0.0, float(scores.min(initial=1.0))) if len(scores) else 0.0

    def all(self) -> tuple[IntArray, FloatArray]:
        """Return the rows that are known and their scores."""
        with self._lock:
            return self._rows, self._scores

    def at(self, rows: IntArray) -> FloatArray:
        """Return the scores of these rows, NaN where one is not known."""
        known, scores = self.all()
        found = np.full(len(rows), np.nan, dtype=np.float32)
        if len(known):
            places = np.minimum(np.searchsorted(known, rows), len(known) - 1)
            is_known = known[places] == rows
            found[is_known] = scores[places[is_known]]
        return found


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
