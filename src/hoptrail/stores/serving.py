"""How a server is told of a knowledge base: the role of a store, its address, its writer's lease.

The folder's records are the truth and are published first; each server follows them. It says which
generation it shows, is given what changed since, writes that beside what it shows, and turns to the
new generation at once. A publisher that was stopped leaves the old one shown: the next is given all
that changed since, whatever was written already.
"""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import SplitResult, urlsplit

from hoptrail.core.embedding import Embedder, FloatArray
from hoptrail.core.errors import KnowledgeBaseLockedError, SettingsError
from hoptrail.core.progress import Progress
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.vector_search import VectorSearch


@dataclass(frozen=True, slots=True)
class BaseDescription:
    """A base in its own words.

    Attributes:
        records_id: Tells it apart from every other base.
        name: The name of its folder.
        description: The graph's subject in words.
        schema: Definition of each entity type.
        embedder: Name of the model that made the vectors, "" without any.
        dim: Length of the vectors, 0 without any.
        counts: Items by kind.
        predicates: Distinct predicates of relations.
    """

    records_id: str
    name: str
    description: str
    schema: Mapping[str, str]
    embedder: str
    dim: int
    counts: Mapping[ItemKind, int]
    predicates: int


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Items of one kind, in order of their ids, with their vectors.

    Attributes:
        items: `Document` with its text, `Chunk`, `Entity`, `Relation` with the names of its ends,
            or `Community` with its report and those members that no child of it has.
        vectors: Unit vectors, shape (len(items), dim), zeros for an item without one; of documents,
            which have none, shape (len(items), 0).
    """

    items: Sequence[Any]
    vectors: FloatArray


class Change(Protocol):
    """The difference between the generation that a server shows and the one to publish."""

    @property
    def generation(self) -> int:
        """The generation to publish."""
        ...

    @property
    def since(self) -> int | None:
        """The generation that the server shows; None: all items are put, and others are gone."""

    @property
    def base(self) -> BaseDescription:
        """The base at the generation to publish."""
        ...

    def counts(self, kind: ItemKind) -> tuple[int, int]:
        """Return how many items of a kind are put, and how many are gone."""
        ...

    def put(self, kind: ItemKind, batch: int) -> Iterator[Rows]:
        """Yield the items that are new or changed, at most `batch` at once.

        All chunks of a changed document are among them, for a chunk has a place in the document.
        """
        ...

    def gone(self, kind: ItemKind, batch: int) -> Iterator[list[str]]:
        """Yield the ids of items that are no more; none where `since` is None."""
        ...


@dataclass(frozen=True, slots=True)
class StoreState:
    """The generation that a server shows, and the base as the server itself describes it.

    Attributes:
        generation: The one that is shown.
        base: With the items that the server counts.
        lacking: What it lacks beside items, such as an index, in words; "" for nothing. The next
            publication puts that right, of whatever change.
    """

    generation: int
    base: BaseDescription
    lacking: str = ""


class Follower(Protocol):
    """A server that follows the published generations of a base.

    Attributes:
        largest_change: Items that one incremental publication may put and take away; a greater
            change is told as a whole.
    """

    largest_change: int

    def state(self) -> StoreState | None:
        """Return what it shows, None where the base was never published there.

        The counts of the state are those of the rows that it has, not what it was told.

        Raises:
            StoreError: If the server cannot be asked.
        """

    def publish(self, change: Change, progress: Progress) -> None:
        """Show the generation of a change instead of the present one.

        Called anew after a failure, it puts right what was left half written.

        Raises:
            StoreError: If it cannot be done; then the present generation is still shown.
        """

    def drop_before(self, generation: int) -> None:
        """Take away what was last shown in a generation before this one.

        Readers of that generation have to be gone.

        Raises:
            StoreError: If the server cannot be reached or used.
        """

    def close(self) -> None:
        """Give connections back; a second call does nothing."""


class ServingStore(Follower, Protocol):
    """A server that serves a published base."""

    def source(
        self, embedder: Embedder | None, vectors: VectorSearch | None = None
    ) -> KnowledgeSource:
        """Return what answers questions from the published base, as long as the store is open.

        Args:
            embedder: That of the base; None for searches by words alone.
            vectors: Where its vectors are searched, if it was published here without them.

        Raises:
            EmbedderMismatchError: If another embedder made the published vectors.
            StoreError: If the base was never published there, or the server cannot be asked.
        """
        ...


class VectorStore(Follower, Protocol):
    """A server that serves the vectors of a published base; the graph lies elsewhere."""

    def vectors(self) -> VectorSearch:
        """Return what searches the published vectors, as long as the store is open."""
        ...


used_here: set[str] = set()
"""Holders of this process that are at work."""


def split_address(
    address: str, server: str, *, schemes: Collection[str], example: str, variables: str
) -> SplitResult:
    """Return the parts of a server's address, whose path is the name of a database at most.

    Args:
        address: As given.
        server: Its name, for messages.
        schemes: Those that its driver knows.
        example: An address, for messages.
        variables: Names of the variables that say who asks, for messages.

    Raises:
        SettingsError: If it is no such address, or holds a user or a password.
    """
    hint = f"it looks like {example}"
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError as error:
        raise SettingsError(
            f"the address of the {server} server is wrong: {error}", hint=hint
        ) from None
    if "@" in parts.netloc:
        raise SettingsError(
            f"the address of a {server} server must not hold a user or password",
            hint=f"set {variables}, and leave them out of the address",
        )
    if parts.scheme not in schemes or not parts.hostname or "/" in parts.path.strip("/"):
        raise SettingsError(f"{address!r} is no address of a {server} server", hint=hint)
    return parts


def new_holder() -> str:
    """Return a name for a writer of this process: machine, process, and what tells it apart."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}"


def is_gone(holder: str) -> bool:
    """Return whether a holder was on this machine and is no longer at work."""
    host, process, *_ = holder.split(":")
    if (host, process) == (socket.gethostname(), str(os.getpid())):
        return holder not in used_here
    if host != socket.gethostname() or os.name == "nt":  # where signal 0 is no question
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError):
        return False
    return False


def refused_lease(address: object, kb: str, holder: str | None) -> KnowledgeBaseLockedError:
    """Return the error of a lease on a base that somebody has, None where nobody knows who."""
    host, process, *_ = (holder or "another machine::").split(":")
    return KnowledgeBaseLockedError(
        f"{address}: {kb} is being published by process {process} on {host}",
        hint="wait until it is done; one that was killed is waited for two minutes",
    )


def lost_lease(address: object, kb: str) -> KnowledgeBaseLockedError:
    """Return the error of a lease on a base that another writer took meanwhile."""
    return KnowledgeBaseLockedError(
        f"{address}: another writer took over {kb}",
        hint="this one had been silent for two minutes; publish again when it is done",
    )
