"""The role of a server that takes queries over its graph in a language of its own, such as Cypher.

Whoever implements it guards it: a query comes from a model, which may have read anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from hoptrail.core.types import Record


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


class GraphQueries(Protocol):
    """Queries over one published base; usable from any thread."""

    def schema(self) -> QuerySchema:
        """Return what a query may name.

        Raises:
            StoreError: If the server fails.
        """
        ...

    def types_around(self, entity_ids: Sequence[str]) -> dict[str, tuple[list[str], list[str]]]:
        """Return by entity the types of the relations that begin there, and that end there.

        Raises:
            StoreError: If the server fails.
        """
        ...

    def run(self, query: str) -> QueryResult:
        """Run a query that reads this base and nothing else, within limits of rows and time.

        Raises:
            QueryError: If the query is not allowed, wrong, or takes too much; says why in one line.
            StoreError: If the server fails.
        """
        ...


@runtime_checkable
class QueriedSource(Protocol):
    """A `KnowledgeSource` that takes queries."""

    @property
    def queries(self) -> GraphQueries:
        """Its queries."""
        ...
