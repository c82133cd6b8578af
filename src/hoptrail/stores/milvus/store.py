"""Publishing the vectors of a base to Milvus.

Each publication is an edition. Its rows are written beside those that are shown, then the pointer
of the base turns to it: whoever reads sees one edition, for every search names it. What an edition
replaced stays readable for a while.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from hoptrail.core.progress import Progress
from hoptrail.stores.milvus import expressions
from hoptrail.stores.milvus.connection import Connection, MilvusAddress
from hoptrail.stores.milvus.lease import Lease
from hoptrail.stores.milvus.names import collection_of, space_of
from hoptrail.stores.milvus.pointer import Edition, Pointer, make_bases
from hoptrail.stores.milvus.reader import MilvusReader
from hoptrail.stores.milvus.writer import ITEMS, EditionWriter
from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.serving import Change, StoreState
from hoptrail.stores.vector_search import SERVED_KINDS, ServedKind

_GRACE_SECONDS = 60.0  # longer than a retrieval takes


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
