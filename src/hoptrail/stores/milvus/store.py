"""Publishing the vectors of a base to Milvus.

Each publication is an edition. Its rows are written beside those that are shown, then the pointer
of the base turns to it: whoever reads sees one edition, for every search names it. What an edition
replaced stays readable for a while.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from hoptrail.core.errors import StoreError
from hoptrail.core.progress import Progress
from hoptrail.stores.milvus import expressions
from hoptrail.stores.milvus.address import MilvusAddress
from hoptrail.stores.milvus.connection import Connection
from hoptrail.stores.milvus.pointer import Edition, Lease, Pointer, make_bases
from hoptrail.stores.milvus.reader import MilvusReader
from hoptrail.stores.milvus.rows import (
    Row,
    batches,
    in_edition,
    parts,
    pk_of,
    rows_of,
)
from hoptrail.stores.milvus.schema import collection_of, fields_of, space_of
from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.serving import Change, StoreState
from hoptrail.stores.vector_search import SERVED_KINDS, ServedKind, is_predicate_key

_GRACE_SECONDS = 60.0  # longer than a retrieval takes

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


class MilvusStore:
    """The `VectorStore` of a base in a Milvus database, which may hold those of other bases too.

    Args:
        connection: To the server; closed with the store.
        kb: The base's name on the server.
    """

    largest_change = 200_000
    """Items above which writing a base anew costs less than comparing."""

    def __init__(self, connection: Connection, kb: str) -> None:
        self._connection = connection
        self._kb = kb

    @classmethod
    def open(cls, address: str, kb: str) -> MilvusStore:
        """Connect to `http://host:port/database` or a file of Milvus Lite.

        Raises:
            SettingsError: If the address is wrong.
            MissingExtraError: If the client is not installed.
            StoreError: If the server cannot be used.
        """
        return cls(Connection(MilvusAddress.parse(address)), kb)

    def state(self) -> StoreState | None:
        """Return what the server shows, None where the base was never published there.

        Of each kind as many items are told as the base has, less the rows that are missing.

        Raises:
            StoreError: If the server fails.
        """
        pointer = Pointer.read(self._connection, self._kb)
        present, base, expected = pointer.present, pointer.base, pointer.rows
        if present is None or base is None or expected is None:
            return None
        found = self._rows_of(present)
        counts: dict[ItemKind, int] = dict(base.counts)
        for kind, item in ITEMS.items():
            counts[item] += found[kind] - expected[kind]
        return StoreState(present.generation, replace(base, counts=counts))

    def publish(self, change: Change, progress: Progress) -> None:
        """Show the generation of a change.

        Raises:
            KnowledgeBaseLockedError: If another writer publishes the base.
            StoreError: If the server fails; what it showed is still shown.
        """
        make_bases(self._connection)
        with Lease(self._connection, self._kb) as lease:
            pointer = Pointer.read(self._connection, self._kb)
            former = pointer.present
            number = former.number + 1 if former else 1
            is_whole = change.since is None or former is None
            floor = number if is_whole or former is None else former.floor
            space = space_of(change.base.embedder, change.base.dim)
            edition = Edition(number, floor, change.generation, space, time.time())
            rows: dict[ServedKind, int] = dict.fromkeys(SERVED_KINDS, 0)
            if change.base.dim:
                writer = EditionWriter(self._connection, lease, self._kb, change, edition, former)
                added = writer.run(progress)
                before = (pointer.rows or rows) if not is_whole else rows
                rows = {kind: before[kind] + added[kind] for kind in SERVED_KINDS}
            lease.keep(at_once=True)
            shown = replace(edition, shown_since=time.time())
            pointer = pointer.turned_to(shown, change.base, rows)
            pointer.write(self._connection)
            self._drop(pointer, self._outlived(pointer))

    def drop_before(self, generation: int) -> None:
        """Delete the rows that no reader of this generation or a later one sees.

        Raises:
            KnowledgeBaseLockedError: If another writer publishes the base.
            StoreError: If the server fails.
        """
        make_bases(self._connection)
        with Lease(self._connection, self._kb):
            pointer = Pointer.read(self._connection, self._kb)
            kept = (one for one in pointer.editions if one.generation >= generation)
            self._drop(pointer, next(kept, pointer.present))

    def remove(self) -> None:
        """Take the base from the server with all its rows.

        Raises:
            KnowledgeBaseLockedError: If another writer publishes the base.
            StoreError: If the server fails.
        """
        make_bases(self._connection)
        with Lease(self._connection, self._kb):
            pointer = Pointer.read(self._connection, self._kb)
            for space in {one.space for one in pointer.editions}:
                self._delete(space, expressions.of_base(self._kb))
            pointer.forget(self._connection)

    def vectors(self) -> MilvusReader:
        """Return what searches the published vectors; open as long as the store."""
        return MilvusReader(self._connection, self._kb)

    def close(self) -> None:
        """Give the connection back; a second call does nothing."""
        self._connection.close()

    def _rows_of(self, edition: Edition) -> Mapping[ServedKind, int]:
        """Return how many rows of each kind an edition shows; none where a collection is gone."""
        shown = expressions.shown_in(self._kb, edition.number, edition.floor)

        def count(kind: ServedKind) -> int:
            collection = collection_of(kind, edition.space)
            if not self._connection.has(collection):
                return 0
            self._connection.load(collection)
            return self._connection.count(collection, shown)

        counts = self._connection.in_parallel([partial(count, kind) for kind in SERVED_KINDS])
        return dict(zip(SERVED_KINDS, counts, strict=True))

    def _outlived(self, pointer: Pointer) -> Edition | None:
        """Return the first edition that readers may still be at."""
        before = time.time() - _GRACE_SECONDS
        followed = zip(pointer.editions, pointer.editions[1:], strict=False)
        read = (one for one, next_ in followed if next_.shown_since > before)
        return next(read, pointer.present)

    def _drop(self, pointer: Pointer, first: Edition | None) -> None:
        """Delete the rows that no edition from this one on shows."""
        if first is None or len(pointer.editions) == 1:
            return
        kept = {one.space for one in pointer.editions if one.number >= first.number}
        for space in {one.space for one in pointer.editions} - kept:
            self._delete(space, expressions.of_base(self._kb))
        for space in kept:
            self._delete(space, expressions.outlived(self._kb, first.number, first.floor))
        pointer.without_editions_before(first).write(self._connection)

    def _delete(self, space: str, condition: str) -> None:
        for kind in SERVED_KINDS:
            collection = collection_of(kind, space)
            if self._connection.has(collection):
                self._connection.load(collection)
                self._connection.delete(collection, condition)


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
