"""Records for servers of a base: its description, and the change between two generations."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from hoptrail.stores.open_records import OpenRecords, writing
from hoptrail.stores.protocols import ITEM_KINDS, GraphStore, ItemKind, VectorIndex, VectorKind
from hoptrail.stores.records import change_table, embedding_table, graph_decisions
from hoptrail.stores.records.change_table import all_ids, changed_ids
from hoptrail.stores.records.community_table import own_members_of
from hoptrail.stores.records.tables import batches
from hoptrail.stores.serving import BaseDescription, Rows

_VECTORS: dict[ItemKind, VectorKind] = {
    "chunk": "chunk",
    "entity": "entity",
    "relation": "relation",
    "community": "report",
}


class RecordedChange:
    """The `Change` that the records of a base tell; to be read while they are not written.

    Args:
        read: Gives a connection to the records.
        store: The texts.
        vectors: The published vectors of a kind, None where the server is told of none.
        base: The published generation.
        generation: Its number.
        since: The generation that the server shows; None: all of it is put.
    """

    def __init__(
        self,
        read: Callable[[], AbstractContextManager[sqlite3.Connection]],
        store: GraphStore,
        vectors: Callable[[VectorKind], VectorIndex] | None,
        base: BaseDescription,
        generation: int,
        since: int | None,
    ) -> None:
        self._read = read
        self._store = store
        self._vectors = vectors
        self.base = base
        self.generation = generation
        self.since = since

    def counts(self, kind: ItemKind) -> tuple[int, int]:
        """Return how many items of a kind are put, and how many are gone."""
        if self.since is None:
            return self.base.counts[kind], 0
        put, gone = self._changed[kind]
        return len(put), len(gone)

    def put(self, kind: ItemKind, batch: int) -> Iterator[Rows]:
        """Yield the items that are new or changed, at most `batch` at once, by id."""
        if self.since is not None:
            yield from self._rows(kind, self._changed[kind][0], batch)
            return
        with self._read() as connection:
            yield from self._rows(kind, all_ids(connection, kind), batch)

    def gone(self, kind: ItemKind, batch: int) -> Iterator[list[str]]:
        """Yield the ids of items that are no more; none where `since` is None."""
        if self.since is not None:
            yield from batches(self._changed[kind][1], batch)

    @cached_property
    def _changed(self) -> dict[ItemKind, tuple[list[str], list[str]]]:
        since = self.since or 0
        with self._read() as connection:
            return {kind: changed_ids(connection, kind, since) for kind in ITEM_KINDS}

    def _rows(self, kind: ItemKind, ids: Iterable[str], batch: int) -> Iterator[Rows]:
        for some in batches(ids, batch):
            items = self._items(kind, some)
            if kind not in _VECTORS or self._vectors is None:
                yield Rows(items, np.zeros((len(items), 0), dtype=np.float32))
            else:
                vectors = self._vectors(_VECTORS[kind])
                yield Rows(items, vectors.vectors([item.id for item in items]))

    def _items(self, kind: ItemKind, ids: Sequence[str]) -> Sequence[Any]:
        if kind != "community":
            read: dict[ItemKind, Callable[[Sequence[str]], Sequence[Any]]] = {
                "document": self._store.documents,
                "chunk": self._store.chunks,
                "entity": self._store.entities,
                "relation": self._store.relations,
            }
            return read[kind](ids)
        found = self._store.communities(ids, members=False)
        with self._read() as connection:
            members = own_members_of(connection, ids)
        return [replace(one, entity_ids=tuple(members[one.id])) for one in found]


class ChangeRecords(OpenRecords):
    """The methods of `KnowledgeBase` for servers that follow it."""

    track_changes = writing(change_table.start_tracking)
    forget_changes = writing(change_table.forget_changes)

    @property
    def changes_tracked_since(self) -> int:
        """The generation from which on it is known what changed; tracking has begun."""
        with self._database.read() as connection:
            return change_table.tracked_since(connection)

    def base_description(self, *, with_vectors: bool = True) -> BaseDescription:
        """Return what the published base says of itself to a server; its changes are tracked.

        Args:
            with_vectors: Whether the server is told of vectors.
        """
        index = self.index
        with self._database.read() as connection:
            embedder = embedding_table.published_embedder(connection) if with_vectors else None
            return BaseDescription(
                records_id=change_table.records_id(connection),
                name=self.name,
                description=graph_decisions.read_description(connection),
                schema=graph_decisions.read_schema(connection),
                embedder="" if embedder is None else embedder.name,
                dim=0 if embedder is None else embedder.dim,
                counts={
                    "document": len(index.doc_ids),
                    "chunk": len(index.chunk_ids),
                    "entity": len(index.entity_ids),
                    "relation": len(index.relation_ids),
                    "community": len(self.community_index.ids),
                },
                predicates=len(index.predicates),
            )

    def change(self, since: int | None, *, with_vectors: bool = True) -> RecordedChange:
        """Return what is published and was not in an earlier generation; None: all of it.

        Args:
            since: The earlier generation.
            with_vectors: Whether the server is told of vectors.
        """
        return RecordedChange(
            self._database.read,
            self._store,
            self.vectors if with_vectors else None,
            self.base_description(with_vectors=with_vectors),
            self.newest_generation,
            since,
        )
