"""A whole query of a model, written anew as a statement that reads one base and nothing else.

The query is parsed by a small grammar, and the statement is put together from what was understood:
MATCH, OPTIONAL MATCH, WHERE, UNWIND, WITH, RETURN and UNION. All else is refused with its reason:
clauses that write, CALL, LOAD CSV, USE, parameters, unknown names, functions that are not listed.
Each node bears a label of the base's present space and its `kb`, each relationship its `kb`. Two
hidden columns tell which nodes and relationships each row comes from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hoptrail.core.errors import QueryError
from hoptrail.core.text import flat
from hoptrail.stores.neo4j.queries.expressions import Expression, ExpressionReader
from hoptrail.stores.neo4j.queries.patterns import PatternReader
from hoptrail.stores.neo4j.queries.scope import Kind, Scope, Vocabulary, quoted
from hoptrail.stores.neo4j.queries.tokens import Cursor

NODES, RELATIONS = "_nodes", "_relations"
"""Hidden columns: own ids of the nodes and relationships that a row comes from."""
_ALLOWED = "a query reads: it has MATCH, WHERE, UNWIND, WITH, RETURN, ORDER BY, LIMIT and UNION"
_WRITES = frozenset(
    {"CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "FOREACH", "DROP", "INSERT", "LOAD"}
)
_MOST_WITHS = 4
_MOST_UNIONS = 3
_MOST_MATCHES = 8
_MOST_UNWINDS = 2
_TRACED = 20  # rows of a group that its trail shows
_MOST_ROWS = 1_000_000


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that may be sent.

    Attributes:
        text: Cypher, with the hidden columns behind the others.
        parameters: Values by name, but for `kb`.
        columns: The query's own columns as it named them.
    """

    text: str
    parameters: dict[str, Any]
    columns: tuple[str, ...]


def restrict(query: str, vocabulary: Vocabulary, most_rows: int) -> Statement:
    """Return the statement of a query, held to one base.

    Args:
        query: As a model wrote it.
        vocabulary: The names of the base.
        most_rows: Rows that may come back; one more tells that there are more.

    Raises:
        QueryError: If the query is none that may be run; says why in one line.
    """
    return _StatementReader(query, vocabulary, most_rows).read()


class _StatementReader:
    def __init__(self, query: str, vocabulary: Vocabulary, most_rows: int) -> None:
        self._cursor = Cursor(query)
        self._patterns = PatternReader(self._cursor)
        self._expressions = ExpressionReader(self._cursor, self._patterns)
        self._patterns.read_expression = self._expressions.read
        self._scope = Scope(vocabulary)
        self._most_rows = most_rows

    def read(self) -> Statement:
        columns, text = self._part()
        while self._cursor.take_word("UNION"):
            self._scope.use("unions", _MOST_UNIONS, "ask for less at once")
            if not self._cursor.take_word("ALL"):
                self._cursor.take_word("DISTINCT")
            self._scope.begin_anew({}, carries=False)
            others, more = self._part()
            if others != columns:
                raise QueryError("the parts of a UNION need the same columns")
            text += f" UNION ALL {more}"  # hidden columns differ; equal rows are joined later
        is_ended = self._cursor.take_sign(";")
        if self._cursor.token.kind != "end":
            if is_ended:
                raise QueryError("only one query can be run", hint="leave out what follows the ;")
            raise self._refused("the end of the query")
        return Statement(text, self._scope.parameters, columns)

    def _part(self) -> tuple[tuple[str, ...], str]:
        clauses: list[str] = []
        while not self._cursor.take_word("RETURN"):
            clauses.append(self._clause())
        columns, returned = self._return()
        return columns, " ".join([*clauses, returned])

    def _clause(self) -> str:
        cursor, scope = self._cursor, self._scope
        if cursor.take_word("OPTIONAL", "MATCH"):
            return self._match("OPTIONAL MATCH")
        if cursor.take_word("MATCH"):
            return self._match("MATCH")
        if cursor.take_word("UNWIND"):
            scope.use("times UNWIND", _MOST_UNWINDS, "match what you are looking for")
            whole = self._expressions.read(scope).value
            cursor.expect_word("AS")
            return f"UNWIND {whole} AS {scope.introduce(self._cursor.next_name(), 'value')}"
        if cursor.take_word("WITH"):
            return self._with()
        raise self._refused("MATCH, WITH, UNWIND or RETURN")

    def _match(self, word: str) -> str:
        self._scope.use("times MATCH", _MOST_MATCHES, "ask for less at once")
        return f"{word} {self._patterns.read_all(self._scope)}{self._where()}"

    def _where(self) -> str:
        if not self._cursor.take_word("WHERE"):
            return ""
        return f" WHERE {self._expressions.read(self._scope).value}"

    def _with(self) -> str:
        scope = self._scope
        scope.use("times WITH", _MOST_WITHS, "ask for less at once")
        is_distinct = self._cursor.take_word("DISTINCT")
        items = self._items()
        texts = [f"{item.expression.text} AS {quoted(item.alias)}" for item in items]
        gathers = is_distinct or any(item.expression.aggregates for item in items)
        hidden = self._traces(gathers)
        kinds: dict[str, Kind] = {item.alias: item.expression.kind for item in items}
        scope.variables.update(kinds)  # an order may name both what was and what is
        text = f"WITH {', '.join([*texts, *hidden])}{self._order()}"
        scope.begin_anew(kinds, carries=True)
        return text + self._where()

    def _return(self) -> tuple[tuple[str, ...], str]:
        scope = self._scope
        is_distinct = self._cursor.take_word("DISTINCT")
        items = self._items(is_last=True)
        texts = [f"{item.expression.value} AS {quoted(item.alias)}" for item in items]
        gathers = is_distinct or any(item.expression.aggregates for item in items)
        hidden = self._traces(gathers, is_last=True)
        scope.variables.update({item.alias: "value" for item in items})
        order = self._order(most=self._most_rows + 1)
        names = tuple(item.name for item in items)
        return names, f"RETURN {', '.join([*texts, *hidden])}{order}"

    def _items(self, *, is_last: bool = False) -> list[_Item]:
        cursor = self._cursor
        if cursor.is_sign("*"):
            raise QueryError("* is not allowed", hint="name what you return")
        items = [self._item(0, is_last)]
        while cursor.take_sign(","):
            items.append(self._item(len(items), is_last))
        return items

    def _item(self, place: int, is_last: bool) -> _Item:
        cursor = self._cursor
        start = cursor.place
        expression = self._expressions.read(self._scope)
        name = flat(cursor.source(start))
        if cursor.take_word("AS"):
            alias = name = self._cursor.next_name()
            if alias.startswith("_"):
                raise QueryError(f"{alias[:40]!r} cannot be the name of a column")
        elif expression.text == quoted(name) and not is_last:
            alias = name
        elif is_last:
            alias = f"_column{place}"
        else:
            raise QueryError("what WITH computes needs a name", hint="write AS and a name")
        is_whole = is_last and expression.text.startswith("collect(")
        if "collect(" in expression.text and not is_whole:
            raise QueryError(
                "collect stands in a column of RETURN by itself", hint="count, or match again"
            )
        return _Item(expression, alias, name)

    def _traces(self, gathers: bool, *, is_last: bool = False) -> list[str]:
        """Return the hidden columns of a projection.

        A row bears what it was matched from. Where rows are counted or collected, or equal ones
        joined, a group bears what its first rows were matched from.
        """
        carried = self._scope.carries
        found = []
        for column, kinds in ((NODES, ("node",)), (RELATIONS, ("relation", "relations"))):
            met = {name: kind for name, kind in self._scope.met.items() if kind in kinds}
            single = [name for name, kind in met.items() if kind != "relations"]
            parts = [column] if carried else []
            parts += [f"[{', '.join(single)}]"] if single or not parts else []
            parts += [f"coalesce({name}, [])" for name, kind in met.items() if kind == "relations"]
            text = " + ".join(parts)
            if gathers:
                text = f"reduce(_all = [], _one IN collect({text})[..{_TRACED}] | _all + _one)"
            if is_last:
                text = f"[_x IN {text} WHERE _x IS NOT NULL | _x.item_id]"
            found.append(f"{text} AS {column}")
        return found

    def _order(self, most: int | None = None) -> str:
        """Read ORDER BY, SKIP and LIMIT; with `most` there always is a limit."""
        cursor, text = self._cursor, ""
        if cursor.take_word("ORDER", "BY"):
            text = f" ORDER BY {self._sort_key()}"
            while cursor.take_sign(","):
                text += f", {self._sort_key()}"
        if cursor.take_word("SKIP") or cursor.take_word("OFFSET"):
            text += f" SKIP {self._count()}"
        limit = self._count() if cursor.take_word("LIMIT") else None
        if most is not None:
            limit = most if limit is None else min(limit, most)
        return text if limit is None else f"{text} LIMIT {limit}"

    def _sort_key(self) -> str:
        cursor = self._cursor
        text = self._expressions.read(self._scope).value
        for words, order in (("DESC", "DESCENDING"), ("ASC", "ASCENDING")):
            if cursor.take_word(words) or cursor.take_word(order):
                return f"{text} {words}"
        return text

    def _count(self) -> int:
        token = self._cursor.next()
        if token.kind != "number" or not token.text.isdigit():
            raise QueryError("SKIP and LIMIT take a whole number")
        return min(int(token.text[:12]), _MOST_ROWS)

    def _refused(self, wanted: str) -> QueryError:
        token = self._cursor.token
        word = token.text.upper()
        if token.kind != "name":
            return self._cursor.unexpected(wanted)
        if word in _WRITES:
            return QueryError(f"{word} is not allowed", hint=_ALLOWED)
        if word == "CALL":
            return QueryError("CALL is not allowed: no procedure is", hint=_ALLOWED)
        return QueryError(f"{word[:40]} is not allowed here", hint=_ALLOWED)


@dataclass(frozen=True, slots=True)
class _Item:
    """A column of a projection: its expression, its name in the statement, and in the query."""

    expression: Expression
    alias: str
    name: str
