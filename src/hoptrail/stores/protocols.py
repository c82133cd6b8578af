"""The roles that a knowledge base is made of; retrievers and tools are written against these alone.

A server may take queries over its graph in a language of its own, such as Cypher. Whoever
implements that role guards it: a query comes from a model, which may have read anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.core.types import Chunk, Community, Document, Entity, Record, Relation

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


@dataclass(frozen=True, slots=True)
class EntityType(Record):
    """A type of entities.

    Attributes:
        label: Its name in queries; "" for entities without a type.
        type: As it was extracted.
        count: Entities of it.
        example: Name of the one with most relations.
    """

    label: str
    type: str
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class RelationType(Record):
    """A predicate between entities.

    Attributes:
        type: Its name in queries.
        is_shared: Whether other predicates have that name too.
        predicate: As it was extracted.
        count: Relations of it.
        example: Name and type of the subject and of the object of one of them, in this order.
        object_types: Types of the objects of all of them.
    """

    type: str
    is_shared: bool
    predicate: str
    count: int
    example: tuple[str, str, str, str]
    object_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuerySchema(Record):
    """The names that a query over a base may use, the commonest first."""

    entity_types: tuple[EntityType, ...]
    relation_types: tuple[RelationType, ...]


@dataclass(frozen=True, slots=True)
class QueryRow(Record):
    """A row of a query's result.

    Attributes:
        values: One for each column: texts, numbers, true and false, None, and lists of these.
        node_ids: Own ids of the entities, passages and documents that it was matched from.
        relation_ids: Own ids of the relations that it was matched from.
    """

    values: tuple[Any, ...]
    node_ids: tuple[str, ...] = ()
    relation_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryResult(Record):
    """The result of a query.

    Attributes:
        query: As it was written.
        columns: Their names.
        rows: Those with equal values are one.
        has_more: Whether there are more rows than are told.
    """

    query: str
    columns: tuple[str, ...]
    rows: tuple[QueryRow, ...]
    has_more: bool = False
