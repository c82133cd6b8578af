"""Runs the queries of models on a published base, and tells them what they may name."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hoptrail.core.errors import QueryError, StoreError
from hoptrail.core.text import clipped
from hoptrail.stores.neo4j import statements
from hoptrail.stores.neo4j.connection import Connection, run
from hoptrail.stores.neo4j.queries.scope import ENTITY, Vocabulary
from hoptrail.stores.neo4j.queries.statement import Statement, restrict
from hoptrail.stores.neo4j.rows import GENERIC_TYPE, Space, public_labels
from hoptrail.stores.neo4j.statements import in_space
from hoptrail.stores.protocols import (
    EntityType,
    QueryResult,
    QueryRow,
    QuerySchema,
    RelationType,
)

if TYPE_CHECKING:
    from neo4j import Transaction


MOST_ROWS = 200
_SECONDS = 10.0
"""After so many the server ends a query."""

_READS = frozenset(
    """
    AntiConditionalApply AntiSemiApply Apply Argument ArgumentTracker AssertSameNode
    AssertSameRelationship CacheProperties CartesianProduct ConditionalApply
    DirectedRelationshipIndexContainsScan DirectedRelationshipIndexEndsWithScan
    DirectedRelationshipIndexScan DirectedRelationshipIndexSeek
    DirectedRelationshipIndexSeekByRange DirectedRelationshipTypeScan
    DirectedUnionRelationshipTypesScan Distinct Eager EagerAggregation EmptyResult EmptyRow Expand
    Filter IntersectionNodeByLabelsScan LeftOuterHashJoin LetAntiSemiApply LetSelectOrAntiSemiApply
    LetSelectOrSemiApply LetSemiApply Limit MultiNodeIndexSeek NodeByLabelScan
    NodeCountFromCountStore NodeHashJoin NodeIndexContainsScan NodeIndexEndsWithScan NodeIndexScan
    NodeIndexSeek NodeIndexSeekByRange NodeLeftOuterHashJoin NodeRightOuterHashJoin
    NodeUniqueIndexSeek NodeUniqueIndexSeekByRange Optional OptionalExpand OrderedAggregation
    OrderedDistinct OrderedUnion PartialSort PartialTop PreserveOrder ProduceResults
    ProjectEndpoints Projection RelationshipCountFromCountStore RemoteBatchProperties
    RemoteBatchPropertiesWithFilter RightOuterHashJoin RollUpApply SelectOrAntiSemiApply
    SelectOrSemiApply SemiApply Skip Sort SubtractionNodeByLabelsScan Top Top1WithTies TriadicBuild
    TriadicFilter TriadicSelection UndirectedRelationshipIndexContainsScan
    UndirectedRelationshipIndexEndsWithScan UndirectedRelationshipIndexScan
    UndirectedRelationshipIndexSeek UndirectedRelationshipIndexSeekByRange
    UndirectedRelationshipTypeScan UndirectedUnionRelationshipTypesScan Union UnionNodeByLabelsScan
    Unwind ValueHashJoin ValueMergeJoin VarLengthExpand
    """.split()
)
"""Operators that read by label, type or index and compute: none writes, calls a procedure, loads a
file, or looks at all nodes of the database."""
_LOCKS = "Locking"  # seeks of a statement that writes

_ATTEMPTS = 3
_LONGEST_TEXT = 1_000  # characters of a value
_LONGEST_LIST = 200
_DEEPEST_LIST = 2
_MOST_CHARACTERS = 200_000  # of a whole result
_LONGEST_REASON = 300
_PLACE = re.compile(r" ?\(line \d+, column \d+ \(offset: \d+\)\)")
"""A place in the statement, which the writer of the query has not seen."""


class Neo4jGraphQueries:
    """Queries over one base in Neo4j; usable from any thread.

    Args:
        connection: To the server.
        kb: The base's name there.
        shown: Gives the generation and space that are shown.
        refresh: Takes up a newer generation.
    """

    def __init__(
        self,
        connection: Connection,
        kb: str,
        shown: Callable[[], tuple[int, Space]],
        refresh: Callable[[], object],
    ) -> None:
        self._connection = connection
        self._kb = kb
        self._shown = shown
        self._refresh = refresh
        self._lock = threading.Lock()
        self._known: tuple[tuple[int, Space], QuerySchema] | None = None

    def schema(self) -> QuerySchema:
        """Return what a query may name; read once in a generation.

        Raises:
            StoreError: If the server fails.
        """
        return self._schema_of(self._shown())

    def types_around(self, entity_ids: Sequence[str]) -> dict[str, tuple[list[str], list[str]]]:
        """Return by entity the types of the relations that begin there, and that end there.

        Raises:
            StoreError: If the server fails.
        """
        statement = in_space(statements.TYPES_AROUND, self._shown()[1])
        rows = self._connection.rows(statement, ids=list(entity_ids))
        return {item_id: (begin, end) for [[item_id, begin, end]] in rows}

    def run(self, query: str) -> QueryResult:
        """Run a query that reads this base and nothing else, within limits of rows and time.

        Raises:
            QueryError: If the query is not allowed, wrong, or takes too much; says why in one line.
            StoreError: If the server fails, or the base is published faster than it can be read.
        """
        for _ in range(_ATTEMPTS):
            shown = self._shown()
            vocabulary = _vocabulary(self._schema_of(shown), shown[1])
            statement = restrict(query, vocabulary, MOST_ROWS)
            rows = self._rows(statement, shown)
            if rows is not None:
                return _result(query, statement.columns, rows)
            self._refresh()
        raise StoreError(
            f"{self._connection.address}: {self._kb} is published faster than it can be read",
            hint="ask again when the publications are through",
        )

    def _rows(self, statement: Statement, shown: tuple[int, Space]) -> list[list[Any]] | None:
        """Return the rows of a statement, None where another generation is shown by now."""
        text = f"CYPHER 5 {statement.text}"
        parameters = {**statement.parameters, "kb": self._kb}

        def work(transaction: Transaction) -> list[list[Any]] | None:
            planned = run(transaction, f"EXPLAIN {text}", parameters).consume()
            check_plan(planned.query_type, planned.plan)
            rows = run(transaction, text, parameters).values()
            told = run(transaction, statements.SHOWN, parameters).single()
            is_same = told is not None and told["row"] == [shown[0], shown[1].prefix]
            return rows if is_same else None

        try:
            return self._connection.reading_once(work, seconds=_SECONDS)
        except StoreError as error:
            raise _query_error(error) from error

    def _schema_of(self, shown: tuple[int, Space]) -> QuerySchema:
        with self._lock:
            if self._known is None or self._known[0] != shown:
                self._known = shown, self._read_schema(shown[1])
            return self._known[1]

    def _read_schema(self, space: Space) -> QuerySchema:
        def rows(statement: str) -> list[list[Any]]:
            return [row[0] for row in self._connection.rows(in_space(statement, space))]

        entities = (EntityType(_type_label(row[0]), *row) for row in rows(statements.ENTITY_TYPES))
        relations = (
            RelationType(
                type_, type_ == GENERIC_TYPE, predicate, count, tuple(example), tuple(types)
            )
            for type_, predicate, count, example, types in rows(statements.RELATION_TYPES)
        )
        return QuerySchema(tuple(entities), tuple(relations))


def _type_label(type_: str) -> str:
    """Return the label that entities of a type bear beside those of all entities, "" for none."""
    labels = public_labels("entity", type_)[len(public_labels("entity")) :]
    return labels[0] if labels else ""


def _vocabulary(schema: QuerySchema, space: Space) -> Vocabulary:
    types = frozenset(one.label for one in schema.entity_types if one.label)
    predicates = frozenset(one.type for one in schema.relation_types) or {GENERIC_TYPE}
    return Vocabulary(space, types - {ENTITY}, frozenset(predicates))


def _result(query: str, columns: tuple[str, ...], rows: list[list[Any]]) -> QueryResult:
    """Return rows as plain values, equal ones joined, as many as a result may hold."""
    found: dict[str, QueryRow] = {}
    room = _MOST_CHARACTERS
    for row in rows[:MOST_ROWS]:
        *values, node_ids, relation_ids = row
        plain = tuple(_plain(value) for value in values)
        key = repr(plain)
        known = found.get(key)
        room -= len(key)
        if room < 0 and known is None:
            break
        nodes, relations = (known.node_ids, known.relation_ids) if known else ((), ())
        found[key] = QueryRow(
            plain,
            tuple(dict.fromkeys((*nodes, *filter(None, node_ids)))),
            tuple(dict.fromkeys((*relations, *filter(None, relation_ids)))),
        )
    return QueryResult(query, columns, tuple(found.values()), len(rows) > MOST_ROWS or room < 0)


def _plain(value: Any, depth: int = 0) -> Any:
    """Return a value as JSON has it, long texts and lists cut."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list) and depth < _DEEPEST_LIST:
        return [_plain(one, depth + 1) for one in value[:_LONGEST_LIST]]
    return clipped(str(value), _LONGEST_TEXT)


def _query_error(error: StoreError) -> QueryError | StoreError:
    """Return what a server's error says of a query; one that is no query's fault stays."""
    cause = error.__cause__
    code = str(getattr(cause, "code", "") or "")
    if "TransactionTimedOut" in code or "Transaction.Terminated" in code:
        return QueryError(
            f"the query took longer than {_SECONDS:g} seconds",
            hint="begin at a thing by its name, and follow fewer relationships",
        )
    if "OutOfMemory" in code:
        return QueryError("the query takes too much memory", hint="count or limit in WITH")
    if code.startswith("Neo.ClientError.Statement"):
        message = str(getattr(cause, "message", "") or cause).partition("\n")[0]
        return QueryError(clipped(_PLACE.sub("", message), _LONGEST_REASON))
    return error


def check_plan(query_type: str | None, plan: Mapping[str, Any] | None) -> None:
    """Make sure that a statement does nothing but read what its labels and types name.

    Args:
        query_type: As the server tells it: "r" for one that reads.
        plan: The root operator of what EXPLAIN returned.

    Raises:
        QueryError: If an operator is not listed, or the server tells of no plan.
    """
    if plan is None or query_type != "r":
        raise QueryError("the query does more than read", hint="match and return alone")
    for name in _operators(plan):
        if name.partition("(")[0].removeprefix("Partitioned") not in _READS or _LOCKS in name:
            raise QueryError(f"the query would do {name}", hint="match by labels and types alone")


def _operators(plan: Mapping[str, Any]) -> Iterator[str]:
    yield str(plan["operatorType"]).partition("@")[0]
    for child in plan.get("children", ()):
        yield from _operators(child)
