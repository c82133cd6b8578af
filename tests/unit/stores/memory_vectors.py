"""A server of vectors in memory, which counts its rounds and can be silent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import StoreError
from hoptrail.core.progress import Progress
from hoptrail.stores.milvus.rows import rows_of
from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.serving import Change, StoreState
from hoptrail.stores.vector_search import Nearest, ServedKind

ITEMS: dict[ServedKind, ItemKind] = {
    "chunk": "chunk",
    "entity": "entity",
    "relation": "relation",
    "report": "community",
}


class MemoryVectors:
    """The `ShownVectors` of one published generation.

    Attributes:
        rounds: What was asked, in order.
        is_silent: Whether every question fails.
    """

    def __init__(self, change: Change) -> None:
        self.rounds: list[str] = []
        self.is_silent = False
        self.generation = change.generation
        self._dim = change.base.dim
        self._held: dict[ServedKind, set[str]] = {}
        self._rows: dict[ServedKind, dict[str, Any]] = {}
        for kind, item in ITEMS.items():
            rows = (row for some in change.put(item, 100) for row in rows_of(kind, some))
            self._rows[kind] = {row["item_id"]: row for row in rows}

    @property
    def counts(self) -> Mapping[ServedKind, int]:
        return {kind: len(rows) for kind, rows in self._rows.items()}

    def nearest(
        self,
        queries: FloatArray,
        most: Mapping[ServedKind, int],
        *,
        with_triples: bool = False,
    ) -> Mapping[ServedKind, list[Nearest]]:
        assert not with_triples  # a folder knows them
        self._ask(f"nearest {' '.join(sorted(most))}")
        return {kind: [self._nearest(kind, one, most[kind]) for one in queries] for kind in most}

    def scores(
        self, queries: FloatArray, keys: Mapping[ServedKind, Sequence[str]]
    ) -> Mapping[ServedKind, FloatArray]:
        self._ask(f"scores {' '.join(sorted(keys))}")
        return {kind: self._scores(kind, queries, some) for kind, some in keys.items()}

    def vectors(
        self,
        kind: ServedKind,
        keys: Sequence[str],
        *,
        ahead: Callable[[], Sequence[str]] = tuple,
    ) -> FloatArray:
        held = self._held.setdefault(kind, set())
        if not held.issuperset(keys):
            self._ask(f"vectors {kind}")
            held.update(keys, ahead())
        return self._matrix(kind, keys)

    def _scores(self, kind: ServedKind, queries: FloatArray, keys: Sequence[str]) -> FloatArray:
        known = np.array([key in self._rows[kind] for key in keys])
        return np.where(known, queries @ self._matrix(kind, keys).T, np.nan).astype(np.float32)

    def _nearest(self, kind: ServedKind, query: FloatArray, most: int) -> Nearest:
        keys = sorted(self._rows[kind])
        scores = self._matrix(kind, keys) @ query
        best = np.argsort(-scores, kind="stable")[:most]
        return Nearest([keys[place] for place in best], scores[best], {})

    def _matrix(self, kind: ServedKind, keys: Sequence[str]) -> FloatArray:
        nothing = {"vector": np.zeros(self._dim)}
        found = [self._rows[kind].get(key, nothing)["vector"] for key in keys]
        return np.array(found, dtype=np.float32).reshape(len(keys), self._dim)

    def _ask(self, what: str) -> None:
        if self.is_silent:
            raise StoreError("the server does not answer")
        self.rounds.append(what)


class MemoryVectorStore:
    """The `VectorStore` that shows one generation, and its `VectorSearch`."""

    largest_change = 1_000

    def __init__(self, shows: MemoryVectors) -> None:
        self.shows = shows

    def state(self) -> StoreState | None:
        """It is told no more than what it was made with."""
        return None

    def publish(self, change: Change, progress: Progress) -> None:
        """Show another generation."""
        self.shows = MemoryVectors(change)

    def drop_before(self, generation: int) -> None:
        """Nothing of an earlier generation is kept."""

    def vectors(self) -> MemoryVectorStore:
        """It is both."""
        return self

    def shown(self, generation: int) -> MemoryVectors | None:
        """Return the vectors of the generation that it shows."""
        return self.shows if generation == self.shows.generation else None

    def close(self) -> None:
        """Nothing to give back."""
