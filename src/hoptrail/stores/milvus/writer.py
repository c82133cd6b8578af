"""Writes an edition of a base beside the one that is shown."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from hoptrail.core.errors import StoreError
from hoptrail.core.progress import Progress
from hoptrail.stores.milvus import expressions
from hoptrail.stores.milvus.connection import Connection, Row
from hoptrail.stores.milvus.lease import Lease
from hoptrail.stores.milvus.names import collection_of, fields_of
from hoptrail.stores.milvus.pointer import Edition
from hoptrail.stores.milvus.rows import batches, in_edition, parts, pk_of, rows_of
from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.serving import Change
from hoptrail.stores.vector_search import SERVED_KINDS, ServedKind, is_predicate_key

STAGE = "publish"
ITEMS: dict[ServedKind, ItemKind] = {
    "chunk": "chunk",
    "entity": "entity",
    "relation": "relation",
    "report": "community",
}
_ROWS_AT_ONCE = 4_000  # above those of one request, which are told by their bytes
_KEYS_A_QUERY = 1_000
_RETIRED_AT_ONCE = 200  # rows that are read with all that they hold
_SEALED_FROM = 10_000  # rows: fewer are searched well enough before their index is built
_INDEX_SECONDS = 1_800.0
_PAUSE_SECONDS = 0.5


@dataclass(slots=True)
class EditionWriter:
    """Writes one edition.

    Attributes:
        connection: To the server.
        lease: The writer's.
        kb: The base's name there.
        change: What is written.
        edition: Its number, floor and space.
        former: The edition that is shown, None before the first.
    """

    connection: Connection
    lease: Lease
    kb: str
    change: Change
    edition: Edition
    former: Edition | None
    _written: dict[ServedKind, int] = field(default_factory=lambda: dict.fromkeys(SERVED_KINDS, 0))

    def run(self, progress: Progress) -> dict[ServedKind, int]:
        """Write all rows, and return how many of each kind are new, less those that end.

        Raises:
            KnowledgeBaseLockedError: If another writer took over.
            StoreError: If the server fails.
        """
        # A server takes seconds to make one.
        self.connection.in_parallel([partial(self._make, kind) for kind in SERVED_KINDS])
        progress.start(STAGE, sum(sum(self.change.counts(ITEMS[kind])) for kind in SERVED_KINDS))
        for kind in SERVED_KINDS:
            if self._is_whole:
                self._upsert(kind, self._all_rows(kind, progress))
            else:
                self._apply(kind, progress)
        progress.finish(STAGE)
        for kind in SERVED_KINDS:
            if self._written[kind] >= _SEALED_FROM:
                self._seal(self._collection(kind))
        return {kind: self._written[kind] - self._ended(kind) for kind in SERVED_KINDS}

    @property
    def _is_whole(self) -> bool:
        """Whether no row that is shown already is to be shown in this edition."""
        return self.former is None or self.edition.floor > self.former.number

    def _collection(self, kind: ServedKind) -> str:
        return collection_of(kind, self.edition.space)

    def _make(self, kind: ServedKind) -> None:
        """See that a collection is there, of the right width, and that it can be searched."""
        collection, dim = self._collection(kind), self.change.base.dim
        fields = fields_of(kind, dim)
        if not self.connection.has(collection):
            self.connection.create(collection, fields, self.connection.address.index)
        found = self.connection.describe(collection)
        width = found.get("vector", {}).get("params", {}).get("dim", 0)
        if int(width) != dim or not {one.name for one in fields} <= found.keys():
            raise StoreError(
                f"{self.connection.address} has a collection {collection} of another make",
                hint="drop it there and publish again",
            )
        self.connection.load(collection)
        staged = expressions.staged_after(self.kb, self.former.number if self.former else 0)
        self.connection.delete(collection, staged)

    def _all_rows(self, kind: ServedKind, progress: Progress) -> Iterator[Row]:
        """Yield the rows of all items, those that several share once."""
        shared: set[str] = set()
        for rows in self.change.put(ITEMS[kind], _ROWS_AT_ONCE):
            for row in rows_of(kind, rows):
                key = row["item_id"]
                if is_predicate_key(key):
                    if key in shared:
                        continue
                    shared.add(key)
                yield row
            progress.advance(STAGE, len(rows.items))

    def _apply(self, kind: ServedKind, progress: Progress) -> None:
        """Write rows that are new or another, and retire those that they replace or that go."""
        for ids in self.change.gone(ITEMS[kind], _KEYS_A_QUERY):
            self._retire(kind, [row["pk"] for row in self._present(kind, ids)])
            progress.advance(STAGE, len(ids))
        for rows in self.change.put(ITEMS[kind], _KEYS_A_QUERY):
            wanted = {row["item_id"]: row for row in rows_of(kind, rows)}
            asked = dict.fromkeys((*wanted, *(item.id for item in rows.items)))
            found = {row["item_id"]: row for row in self._present(kind, list(asked))}
            new: list[Row] = []
            outdated = [row["pk"] for key, row in found.items() if key not in wanted]
            for key, row in wanted.items():
                present = found.get(key)
                if present is not None:
                    if pk_of(row, kind, self.kb, present["born"]) == present["pk"]:
                        continue
                    outdated.append(present["pk"])
                new.append(row)
            self._retire(kind, outdated)
            self._upsert(kind, new)
            progress.advance(STAGE, len(rows.items))

    def _present(self, kind: ServedKind, keys: Sequence[str]) -> Iterator[Row]:
        """Yield primary key, key and edition of those rows that are shown, and not replaced yet."""
        shown = expressions.shown_in(self.kb, self.edition.number, self.edition.floor)
        for some in parts(keys, _KEYS_A_QUERY):
            condition = expressions.both(shown, expressions.is_one_of("item_id", some))
            fields = ("pk", "item_id", "born")
            yield from self.connection.query(self._collection(kind), condition, fields, "Strong")

    def _retire(self, kind: ServedKind, pks: Sequence[str]) -> None:
        """Let rows end with this edition: all of a row has to be written for that."""
        collection = self._collection(kind)
        names = [one.name for one in fields_of(kind, self.change.base.dim)]
        for some in parts(pks, _RETIRED_AT_ONCE):
            condition = expressions.is_one_of("pk", some)
            found = self.connection.query(collection, condition, names, "Strong")
            rows = [
                {**{name: row[name] for name in names}, "died": self.edition.number}
                for row in found
            ]
            self._send(collection, rows)

    def _ended(self, kind: ServedKind) -> int:
        """Return how many rows end with this edition, those of an attempt that was stopped too."""
        if self._is_whole:
            return 0
        ended = expressions.ended_with(self.kb, self.edition.number)
        return self.connection.count(self._collection(kind), ended)

    def _upsert(self, kind: ServedKind, rows: Iterable[Row]) -> None:
        born = self.edition.number
        numbered = (in_edition(row, kind, self.kb, born) for row in rows)
        self._written[kind] += self._send(self._collection(kind), numbered)

    def _send(self, collection: str, rows: Iterable[Row]) -> int:
        sent = 0
        for batch in batches(rows):
            self.lease.keep()
            self.connection.upsert(collection, batch)
            sent += len(batch)
        return sent

    def _seal(self, collection: str) -> None:
        """Wait until many new rows are indexed: before, a server may search a part of them."""
        self.connection.flush(collection)
        deadline = time.monotonic() + _INDEX_SECONDS
        while self.connection.unindexed(collection) and time.monotonic() < deadline:
            self.lease.keep()
            time.sleep(_PAUSE_SECONDS)
