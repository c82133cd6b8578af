"""The role that questions are answered from: views of a knowledge base, its texts, its embedder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from hoptrail.core.algorithms.incidence import Hubs
from hoptrail.core.embedding import Embedder, FloatArray
from hoptrail.stores.protocols import GraphStore, VectorIndex, VectorKind
from hoptrail.stores.snapshot.graph_index import CommunityIndex, GraphIndex
from hoptrail.stores.snapshot.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class View:
    """Arrays that belong together, and the texts behind them, for the length of a retrieval.

    Of an embedded base they hold the whole generation. Of a base on a server they may hold the part
    that the `Focus` of the retrieval asked for: rows count within the view alone.

    Attributes:
        store: Texts by id; ids that it no longer knows are left out of the evidence.
        index: The graph.
        communities: Their hierarchy.
        read_lexicon: Gives words and the chunks they stand in, once they are needed.
        vectors: By kind of item.
        hubs: Entities with many relations.
        derived: What `PerGeneration` made of these arrays; it is gone with them.
    """

    store: GraphStore
    index: GraphIndex
    communities: CommunityIndex
    read_lexicon: Callable[[], Lexicon]
    vectors: Mapping[VectorKind, VectorIndex]
    hubs: Hubs
    derived: dict[object, object] = field(default_factory=dict, repr=False, compare=False)

    @property
    def has_passages(self) -> bool:
        """Whether there is text; a bare graph has none."""
        return len(self.index.chunk_ids) > 0

    @property
    def lexicon(self) -> Lexicon:
        """Words and the chunks they stand in."""
        found = self.derived.get(Lexicon)
        if not isinstance(found, Lexicon):
            self.derived[Lexicon] = found = self.read_lexicon()
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Focus:
    """The subject of a retrieval: a source that does not hold all in memory loads what lies around.

    Attributes:
        texts: The question first, then names and topics that are looked for beside it.
        vector: The question's unit vector, shape (dim,); None for a search by words alone.
        entity_ids: Entities to start from that are known already.
        passages_only: Whether nothing but passages is looked for, without the graph around them.
    """

    texts: tuple[str, ...] = ()
    vector: FloatArray | None = None
    entity_ids: tuple[str, ...] = ()
    passages_only: bool = False


@dataclass(frozen=True, slots=True)
class Size:
    """How many items of each kind a generation has; reports are communities with a report."""

    chunks: int
    entities: int
    relations: int
    reports: int

    @property
    def is_graph_only(self) -> bool:
        """Whether there is a graph and no text."""
        return self.relations > 0 and not self.chunks

    @property
    def is_empty(self) -> bool:
        """Whether there is neither a graph nor a text, as before documents are indexed."""
        return not (self.relations or self.chunks)


class KnowledgeSource(Protocol):
    """A knowledge base that can be asked, wherever its items lie; usable from any thread."""

    @property
    def generation(self) -> int:
        """Number of the published generation that is shown."""
        ...

    @property
    def size(self) -> Size:
        """How much that generation holds."""
        ...

    @property
    def store(self) -> GraphStore:
        """Documents, chunks, entities, relations and communities by id."""
        ...

    @property
    def embedder(self) -> Embedder:
        """The embedder that it was opened with.

        Raises:
            KnowledgeBaseError: If it was opened without one.
        """
        ...

    @property
    def description(self) -> str:
        """The graph's subject in words."""
        ...

    def schema(self) -> dict[str, str]:
        """Return the definition of each entity type."""
        ...

    def embed_query(self, text: str) -> FloatArray:
        """Return the unit vector of a question, shape (dim,).

        Raises:
            KnowledgeBaseError: If it was opened without an embedder.
        """
        ...

    def embed_texts(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of any texts, shape (len(texts), dim); stored ones are taken.

        Raises:
            KnowledgeBaseError: If it was opened without an embedder.
        """
        ...

    def view(self, focus: Focus) -> AbstractContextManager[View]:
        """Show one generation within, at least what lies around the focus.

        Another thread or process may publish meanwhile. A newer generation is taken up before.
        """
        ...

    def refresh(self) -> bool:
        """Take up a newer generation where there is one, and return whether there was."""
        ...
