"""A server that a test publishes to: rows in a dictionary, written in batches as a server does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hoptrail.core.embedding import Embedder
from hoptrail.core.errors import StoreError
from hoptrail.core.progress import Progress
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.stores.protocols import ITEM_KINDS, ItemKind
from hoptrail.stores.serving import Change, StoreState

_BATCH = 3


class MemoryStore:
    """The `ServingStore` of a package that keeps everything in memory.

    Attributes:
        rows: Item and vector by kind and id, half written ones too.
        writes: What was put and taken away in order, for tests that count.
        largest_change: As the role says.
        fail_after: Batches until the server goes away.
    """

    def __init__(self) -> None:
        self.rows: dict[ItemKind, dict[str, tuple[Any, list[float]]]] = {k: {} for k in ITEM_KINDS}
        self.writes: list[tuple[str, ItemKind, str]] = []
        self.fail_after: int | None = None
        self.largest_change = 1_000
        self._state: StoreState | None = None

    def state(self) -> StoreState | None:
        """Return what it shows, with the number of rows that it has."""
        if self._state is None:
            return None
        counts = {kind: len(rows) for kind, rows in self.rows.items()}
        return replace(self._state, base=replace(self._state.base, counts=counts))

    def publish(self, change: Change, progress: Progress) -> None:
        """Write the change, and show its generation once all of it is written."""
        stale = {kind: set(rows) for kind, rows in self.rows.items()}
        for kind in ITEM_KINDS:
            for rows in change.put(kind, _BATCH):
                self._step()
                for item, vector in zip(rows.items, rows.vectors.tolist(), strict=True):
                    self.rows[kind][item.id] = item, vector
                    self.writes.append(("put", kind, item.id))
                    stale[kind].discard(item.id)
        for kind in reversed(ITEM_KINDS):
            gone = [sorted(stale[kind])] if change.since is None else change.gone(kind, _BATCH)
            for ids in gone:
                for id_ in ids:
                    self.rows[kind].pop(id_, None)
                    self.writes.append(("gone", kind, id_))
        self._state = StoreState(change.generation, change.base)

    def drop_before(self, generation: int) -> None:
        """Nothing of an earlier generation is kept."""

    def source(self, embedder: Embedder | None) -> KnowledgeSource:
        """It keeps rows for tests of publishing, and no index to search them by."""
        raise StoreError("a dictionary answers no question", hint="ask the folder")

    def close(self) -> None:
        """Nothing to give back."""

    def written(self) -> set[tuple[str, ItemKind, str]]:
        """Return what was written since the last call."""
        done, self.writes = set(self.writes), []
        return done

    def _step(self) -> None:
        if self.fail_after is not None:
            if self.fail_after == 0:
                raise StoreError("the server went away")
            self.fail_after -= 1
