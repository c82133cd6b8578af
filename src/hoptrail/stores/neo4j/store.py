"""Publishing a knowledge base to Neo4j.

All rows of one load of a base form a *space*, whose labels and indexes bear a prefix of their own.
A change is written into the present space in one transaction, which also moves the pointer; a mark
stands while it is committed, for whose end readers wait: they see all of it or nothing. A base that
is written anew gets a new space beside the present one; when it is complete, the pointer moves, and
then the public labels. The former space stays for a while, for those who are reading it; a reader
who sees that the pointer moved begins anew.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, LiteralString

from hoptrail.core.embedding import Embedder
from hoptrail.core.progress import Progress
from hoptrail.stores.neo4j import statements
from hoptrail.stores.neo4j.connection import Connection, ServerAddress
from hoptrail.stores.neo4j.loading import FullLoad, Increment, drop_space, turn_public_labels
from hoptrail.stores.neo4j.pointer import Lease, Pointer
from hoptrail.stores.neo4j.rows import Space
from hoptrail.stores.neo4j.source import Neo4jSource
from hoptrail.stores.neo4j.space_writer import (
    SpaceWriter,
    complete_indexes,
    lacking_indexes,
    make_shared_schema,
)
from hoptrail.stores.neo4j.statements import in_space
from hoptrail.stores.protocols import ITEM_KINDS
from hoptrail.stores.serving import Change, StoreState
from hoptrail.stores.vector_search import VectorSearch

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

_GRACE_MILLISECONDS = 60_000  # longer than a retrieval takes


class Neo4jStore:
    """The `ServingStore` of a base in a Neo4j database, which may hold other bases and graphs too.

    Args:
        connection: To the server; closed with the store.
        kb: The base's name on the server.
    """

    largest_change = 50_000
    """Rows that one transaction takes; a larger change is written as a whole."""

    def __init__(self, connection: Connection, kb: str) -> None:
        self._connection = connection
        self._kb = kb

    @classmethod
    def open(cls, url: str, kb: str) -> Neo4jStore:
        """Connect to `neo4j://host:port/database`; user and password come from the environment.

        Raises:
            SettingsError: If the URL is wrong, or no password is set.
            MissingExtraError: If the driver is not installed.
            StoreError: If the server cannot be used.
        """
        return cls(Connection(ServerAddress.parse(url)), kb)

    def state(self) -> StoreState | None:
        """Return what the server shows, None where the base was never published there.

        Of a publication that was stopped while the public labels moved, the generation before is
        told, so that publishing is done again and ends it.

        Raises:
            StoreError: If the server fails.
        """
        pointer = Pointer.read(self._connection, self._kb)
        if pointer.generation is None or pointer.base is None:
            return None
        (found,) = self._connection.read(in_space(statements.COUNTS, pointer.space))
        counts = {kind: int(found[kind]) for kind in ITEM_KINDS}
        shown = pointer.generation if pointer.leaving is None else pointer.former
        lacking = lacking_indexes(self._connection, pointer.space, pointer.base.dim)
        return StoreState(shown or 0, replace(pointer.base, counts=counts), lacking)

    def publish(self, change: Change, progress: Progress) -> None:
        """Show the generation of a change.

        Raises:
            KnowledgeBaseLockedError: If another writer publishes the base.
            StoreError: If the server fails; what it showed is still shown.
        """
        if change.since is None:
            make_shared_schema(self._connection)
        with Lease(self._connection, self._kb) as lease:
            pointer = self._settled(lease)
            if change.since is None or pointer.generation is None:
                pointer = self._load(lease, pointer, change, progress)
                self._settled(lease)
            else:
                complete_indexes(self._connection, lease, pointer.space, change.base.dim)
                self._apply(lease, pointer, change, progress)
            self._drop(lease, pointer.outlived(self._now() - _GRACE_MILLISECONDS))

    def drop_before(self, generation: int) -> None:
        """Drop the spaces that no reader of this generation or a later one sees.

        Raises:
            KnowledgeBaseLockedError: If another writer publishes the base.
            StoreError: If the server fails.
        """
        with Lease(self._connection, self._kb) as lease:
            self._drop(lease, generation)

    def remove(self) -> None:
        """Take the base from the server with all its rows and indexes.

        Raises:
            KnowledgeBaseLockedError: If another writer publishes the base.
            StoreError: If the server fails.
        """
        with Lease(self._connection, self._kb) as lease:
            pointer = Pointer.read(self._connection, self._kb)
            numbers = {number for number, _ in pointer.retired}
            numbers |= {pointer.number, pointer.staging or 0, pointer.leaving or 0}
            for number in sorted(numbers - {0}):
                drop_space(self._connection, lease, self._kb, self._space(number))
            self._run(statements.END_COMMIT)
            self._run(statements.FORGET)

    def source(self, embedder: Embedder | None, vectors: VectorSearch | None = None) -> Neo4jSource:
        """Return what answers questions from the published base; open as long as the store.

        Args:
            embedder: That of the base; None for searches by words alone.
            vectors: Where its vectors are searched, if it was published here without them.

        Raises:
            EmbedderMismatchError: If another embedder made the published vectors.
            StoreError: If the base was never published there, or the server fails.
        """
        return Neo4jSource(self._connection, self._kb, embedder, vectors)

    def close(self) -> None:
        """Give the connection back; a second call does nothing."""
        self._connection.close()

    def _settled(self, lease: Lease) -> Pointer:
        """End what a publisher began that was stopped, and return the pointer."""
        pointer = Pointer.read(self._connection, self._kb)
        if pointer.is_moving:
            self._run(statements.END_COMMIT)
        if pointer.staging is not None:
            drop_space(self._connection, lease, self._kb, self._space(pointer.staging))
            pointer = self._note(lease, replace(pointer, staging=None))
        if pointer.leaving is not None:
            leaving = self._space(pointer.leaving)
            turn_public_labels(self._connection, lease, self._kb, leaving, pointer.space)
            retired = (*pointer.retired, (pointer.leaving, pointer.generation or 0))
            settled = replace(pointer, leaving=None, former=None, retired=retired)
            pointer = self._note(lease, settled)
        return pointer

    def _load(self, lease: Lease, pointer: Pointer, change: Change, progress: Progress) -> Pointer:
        """Load all of a base into a new space and turn to it; the public labels follow."""
        is_first = pointer.generation is None
        number = max(pointer.number, *(used for used, _ in pointer.retired), 0) + 1
        pointer = self._note(lease, replace(pointer, staging=number))
        load = FullLoad(
            self._connection, lease, self._kb, self._space(number), change, public=is_first
        )
        load.run(progress)
        turned = pointer.turned_to(change.generation, change.base, self._now())
        turned = replace(turned, number=number, staging=None)
        if not is_first:
            turned = replace(turned, leaving=pointer.number, former=pointer.generation)
        return self._note(lease, turned)

    def _apply(self, lease: Lease, pointer: Pointer, change: Change, progress: Progress) -> None:
        turned = pointer.turned_to(change.generation, change.base, self._now())
        written = {"kb": self._kb, "born": change.generation}

        def work(transaction: ManagedTransaction) -> None:
            lease.keep(transaction)
            space = pointer.space
            writer = SpaceWriter(self._connection, lease, space, written, transaction)
            Increment(writer, self._kb, change).run(progress)
            turned.write(transaction)
            self._run(statements.BEGIN_COMMIT)

        self._connection.writing(work)
        self._run(statements.END_COMMIT)

    def _drop(self, lease: Lease, generation: int) -> None:
        pointer = Pointer.read(self._connection, self._kb)
        outlived = [number for number, died in pointer.retired if died <= generation]
        for number in outlived:
            drop_space(self._connection, lease, self._kb, self._space(number))
        if outlived:
            kept = tuple(pair for pair in pointer.retired if pair[0] not in outlived)
            self._note(lease, replace(pointer, retired=kept))

    def _note(self, lease: Lease, pointer: Pointer) -> Pointer:
        def work(transaction: ManagedTransaction) -> None:
            lease.keep(transaction)
            pointer.write(transaction)

        self._connection.writing(work)
        return pointer

    def _run(self, statement: LiteralString) -> None:
        """Run a statement about the base in a transaction of its own."""
        self._connection.writing(
            lambda transaction: transaction.run(statement, kb=self._kb).consume()
        )

    def _space(self, number: int) -> Space:
        return Space.of(self._kb, number)

    def _now(self) -> int:
        return int(self._connection.read(statements.SERVER_TIME)[0]["now"])
