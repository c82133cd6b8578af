"""Making the present state the next generation, and finding the arrays of the last one."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from hoptrail.core.embedding import Embedder
from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.stores.records.change_table import forget_listed, listed_only, note_all_changed
from hoptrail.stores.records.database import Database
from hoptrail.stores.records.document_table import forget_replaced
from hoptrail.stores.records.embedding_table import (
    noted_static,
    publish_embedder,
    published_embedder,
)
from hoptrail.stores.records.graph_decisions import write_description, write_schema
from hoptrail.stores.records.schema import create_schema
from hoptrail.stores.records.tables import (
    UNCHANGED,
    generation,
    is_changed,
    write_change_state,
    write_meta,
)
from hoptrail.stores.snapshot.arrays import HeldColumns
from hoptrail.stores.snapshot.item_texts import is_complete
from hoptrail.stores.snapshot.schema_proposal import SchemaProposal
from hoptrail.stores.snapshot.snapshot import (
    Snapshot,
    SnapshotCache,
    build_snapshot,
    extend_snapshot,
    load_snapshot,
)

_NO_EMBEDDER = (0, 0)


def publish_snapshot(
    database: Database, cache: SnapshotCache, embedder_id: int | None, static: Embedder | None
) -> int:
    """Make the present state the next generation and return its number.

    A state that is already published keeps its number. The cache is in place before the number is
    committed, so a reader that sees the number finds its arrays. Within a transaction, all of it is
    seen, and older arrays are removed, when that is committed.

    Args:
        database: In which the state is.
        cache: Where its arrays go.
        embedder_id: The embedder.
        static: Its static model, where it has one: makes the vectors of what was read.
    """
    with database.write() as connection:
        published = published_embedder(connection)
        if embedder_id is not None and (published is None or published.id != embedder_id):
            publish_embedder(connection, embedder_id)
        elif generation(connection) and not is_changed(connection):
            return generation(connection)
        number = generation(connection) + 1
        before = noted_static(connection, embedder_id)
        with cache.building() as folder:
            extended = _extended(connection, cache, folder, static)
            if extended is None:
                embedder = _embedder(connection)
                proposal = build_snapshot(connection, folder, embedder, static, prune=True)
                cache.put(folder, number)
            else:
                proposal, columns = extended
                cache.put(folder, number, columns)
        if before is not None and noted_static(connection, embedder_id) != before:
            note_all_changed(connection)
        write_schema(connection, "proposed", proposal.definitions)
        write_description(connection, "proposed", proposal.description)
        write_meta(connection, "generation", str(number))
        write_change_state(connection, UNCHANGED)
        forget_listed(connection)
        forget_replaced(connection)
        database.after_commit(lambda: cache.keep_only(number))
        database.after_commit(database.compact)
    return number


def current_snapshot(database: Database, cache: SnapshotCache, static: Embedder | None) -> Snapshot:
    """Return the arrays of the last published generation, building them where there are none.

    A publication removes older arrays, also from under a reader; then that looks again. Where they
    have to be built and there is no static model to make the vectors of what was read, these are
    missing in what is returned, which nobody else is given. Nor is what had to be built from a
    publication that is not committed.
    """
    while True:
        number = _newest(database)
        snapshot = cache.load(number)
        if snapshot is not None:
            return snapshot
        try:
            # Within a transaction, the own tables may say more than the last generation does.
            for committed in (True, False):
                with database.read(newest=True, committed=committed) as connection:
                    if generation(connection) == number:
                        return _build(connection, cache, number, static, keep=committed)
        except FileNotFoundError:
            if _newest(database) == number:
                raise


def _extended(
    connection: sqlite3.Connection, cache: SnapshotCache, folder: Path, static: Embedder | None
) -> tuple[SchemaProposal, HeldColumns] | None:
    """Add to the arrays of the last generation what is listed, where that is all that is new."""
    embedder = _embedder(connection)
    if not listed_only(connection) or not is_complete(connection, embedder[0]):
        return None
    noted = noted_static(connection, embedder[0])
    if noted is not None and (static is None or static.name != noted):
        return None  # what another model made is made anew
    known = cache.sealed(generation(connection))
    return None if known is None else extend_snapshot(connection, folder, embedder, static, known)


def _newest(database: Database) -> int:
    with database.read(newest=True) as connection:
        return generation(connection)


def _build(
    connection: sqlite3.Connection,
    cache: SnapshotCache,
    number: int,
    static: Embedder | None,
    *,
    keep: bool,
) -> Snapshot:
    if number == 0:
        with cache.building(elsewhere=True) as folder, closing(_empty_database()) as empty:
            build_snapshot(empty, folder, _NO_EMBEDDER)
            return load_snapshot(folder, number)
    embedder = _embedder(connection)
    noted = noted_static(connection, embedder[0])
    known = static if noted is not None else None
    try:
        with cache.building() as folder:
            build_snapshot(connection, folder, embedder, known)
            snapshot = load_snapshot(folder, number)
            if keep and (noted is None or static is not None):
                cache.put(folder, number)
            return snapshot
    except KnowledgeBaseError:  # a full disk, which need not be that of temporary files
        with cache.building(elsewhere=True) as folder:
            build_snapshot(connection, folder, embedder, known)
            return load_snapshot(folder, number)


def _empty_database() -> sqlite3.Connection:
    """Return what readers of a never published base see: unfinished work is not shown."""
    connection = sqlite3.connect(":memory:")
    create_schema(connection, name="")
    return connection


def _embedder(connection: sqlite3.Connection) -> tuple[int, int]:
    record = published_embedder(connection)
    return _NO_EMBEDDER if record is None else (record.id, record.dim)


class CurrentSnapshot:
    """Holds one generation for all threads; usable from any of them.

    Args:
        load: Returns the newest generation's snapshot.
    """

    def __init__(self, load: Callable[[], Snapshot]) -> None:
        self._load = load
        self._shared: Snapshot | None = None
        self._lock = threading.Lock()
        self._local = threading.local()

    def get(self) -> Snapshot:
        """Return the snapshot that this thread is to read."""
        pinned = self._pinned()
        if pinned is not None:
            return pinned
        with self._lock:
            if self._shared is None:
                self._shared = self._load()
            return self._shared

    def refresh(self, newest: int) -> bool:
        """Load anew where another generation is the newest, and return whether that was so."""
        with self._lock:
            if self._shared is None or self._shared.index.generation == newest:
                return False
            self._shared = self._load()
            return True

    def drop(self) -> None:
        """Forget the snapshot; the next reader loads the newest."""
        with self._lock:
            self._shared = None

    @contextmanager
    def pinned(self) -> Iterator[None]:
        """Give this thread the same snapshot throughout, whatever others refresh."""
        outer = self._pinned()
        self._local.snapshot = self.get()
        try:
            yield
        finally:
            self._local.snapshot = outer

    def _pinned(self) -> Snapshot | None:
        snapshot: Snapshot | None = getattr(self._local, "snapshot", None)
        return snapshot
