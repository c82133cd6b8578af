"""How a server is told of a knowledge base, and the role of a store that it is published to.

The folder's records are the truth and are published first; each server follows them. It says which
generation it shows, is given what changed since, writes that beside what it shows, and turns to the
new generation at once. A publisher that was stopped leaves the old one shown: the next is given all
that changed since, whatever was written already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hoptrail.core.embedding import Embedder, FloatArray
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
        ...

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
        ...

    def publish(self, change: Change, progress: Progress) -> None:
        """Show the generation of a change instead of the present one.

        Called anew after a failure, it puts right what was left half written.

        Raises:
            StoreError: If it cannot be done; then the present generation is still shown.
        """
        ...

    def drop_before(self, generation: int) -> None:
        """Take away what was last shown in a generation before this one.

        Readers of that generation have to be gone.

        Raises:
            StoreError: If the server cannot be reached or used.
        """
        ...

    def close(self) -> None:
        """Give connections back; a second call does nothing."""
        ...


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
