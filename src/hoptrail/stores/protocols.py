"""The roles that a knowledge base is made of; retrievers are written against these alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Protocol

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.core.types import Chunk, Community, Document, Entity, Relation

VectorKind = Literal["chunk", "entity", "relation", "word", "report"]
"""Kinds of items that have vectors; a word's is the mean over the sentences that hold it."""


ItemKind = Literal["document", "chunk", "entity", "relation", "community"]
ITEM_KINDS: tuple[ItemKind, ...] = ("document", "chunk", "entity", "relation", "community")
"""In the order in which they are written: what an item refers to comes before it."""


class VectorIndex(Protocol):
    """Unit vectors under ids, searched by inner product."""

    @property
    def dim(self) -> int:
        """Vector length."""
        ...

    def __len__(self) -> int:
        """Number of vectors."""
        ...

    def search(
        self, query: FloatArray, k: int, *, within: Sequence[str] | IdArray | None = None
    ) -> tuple[IdArray, FloatArray]:
        """Return ids and similarities of the `k` nearest, best first, ties by id.

        `within` restricts the search to those ids; ids without a vector are left out.
        """
        ...

    def search_many(self, queries: FloatArray, k: int) -> list[tuple[IdArray, FloatArray]]:
        """Return for each query, shape (q, dim), what `search` does; all in one product."""
        ...

    def similarities(self, query: FloatArray, ids: Sequence[str] | IdArray) -> FloatArray:
        """Return the similarity of each id, shape (len(ids),); 0 where an id has no vector.

        Several queries, shape (dim, m), give the shape (len(ids), m) in one product.
        """
        ...

    def similarities_at(self, query: FloatArray, places: IntArray) -> FloatArray:
        """Return the similarity of the items at these places among all ids, shape (len(places),).

        Places are rows of the `GraphIndex` of the same generation; 0 where an item has no vector.
        Several queries are given as for `similarities`.
        """
        ...

    def scorer(self, query: FloatArray) -> Callable[[IntArray], FloatArray]:
        """Return `similarities_at` for one query, shape (dim,), to be asked again and again."""
        ...

    def vectors(self, ids: Sequence[str] | IdArray) -> FloatArray:
        """Return the vectors of the ids, shape (len(ids), dim); zeros where an id has none."""
        ...

    def vectors_at(self, places: IntArray) -> FloatArray:
        """Return the vectors of the items at these places, as `similarities_at` counts them."""
        ...


class GraphStore(Protocol):
    """Documents, chunks, entities, relations and communities by id."""

    def documents(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents of these ids, in their order, unknown ids left out."""
        ...

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks of these ids, in their order, unknown ids left out."""
        ...

    def passages_of(self, doc_ids: Sequence[str]) -> list[Chunk]:
        """Return all chunks of these documents, by document in their order, then by place."""
        ...

    def entities(self, ids: Sequence[str]) -> list[Entity]:
        """Return the entities of these ids, in their order, unknown ids left out."""
        ...

    def relations(self, ids: Sequence[str]) -> list[Relation]:
        """Return the relations of these ids, with end point names, in order, unknown left out."""
        ...

    def communities(self, ids: Sequence[str], *, members: bool = True) -> list[Community]:
        """Return the communities of these ids, with reports and members, unknown left out.

        Args:
            ids: In any order, which the result keeps.
            members: Whether to read `entity_ids`; a coarse community may have all entities there
                are.
        """
        ...

    def find_entities(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the ids of the entities whose name or alias has the same `name_key`, by name."""
        ...

    def match_entities(self, text: str, limit: int) -> list[str]:
        """Return the ids of the entities with a name or alias that holds the text, best first."""
        ...
