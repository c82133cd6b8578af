"""Expressions of a query, read from its tokens and written anew.

Only what is listed here can be written, and every literal becomes a parameter: no text of a model,
a question or a document ever stands in a statement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from hoptrail.core.errors import QueryError
from hoptrail.stores.neo4j.queries.scope import Kind, Scope, property_of
from hoptrail.stores.neo4j.queries.tokens import Cursor

AGGREGATES = {name.lower(): name for name in ("count", "sum", "avg", "min", "max", "collect")}
FUNCTIONS = {
    name.lower(): name
    for name in (
        "toLower",
        "toUpper",
        "trim",
        "substring",
        "left",
        "right",
        "split",
        "size",
        "head",
        "last",
        "coalesce",
        "toInteger",
        "toFloat",
        "toString",
        "abs",
        "round",
        "floor",
        "ceil",
        "length",
        "type",
    )
}
_INSTEAD = {
    "labels": "use e.type",
    "exists": "write IS NOT NULL, or EXISTS { pattern }",
    "id": "compare the nodes themselves",
    "elementid": "compare the nodes themselves",
    "nodes": "return the path itself: it shows its names",
    "relationships": "name the relationships of the pattern",
    "range": "match what you count",
    "datetime": "years are names of entities: compare them as texts",
    "date": "years are names of entities: compare them as texts",
    "replace": "compare names as they are written",
}
_LISTS = {"any": "any", "all": "all", "none": "none", "single": "single"}
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
_MOST_SUMS = 8
_MOST_NESTED = 10
_MOST_COLLECTED = 200
_LONGEST_LIST = 100
_MOST_DIGITS = 18
_NAME = "coalesce({0}.long_name, {0}.name, {0}.title)"


class Patterns(Protocol):
    """The part of reading patterns that expressions need."""

    def read_alone(self, scope: Scope) -> str:
        """Read a pattern with a relationship that is a condition by itself."""
        ...

    def read_inner(self, scope: Scope) -> str:
        """Read what stands between the braces of EXISTS and COUNT."""
        ...

    def read_labels(self, scope: Scope) -> tuple[str, frozenset[str]]:
        """Read labels after a colon."""
        ...


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression as a statement has it.

    Attributes:
        text: Cypher.
        kind: What it stands for.
        aggregates: Whether it counts or collects over rows.
    """

    text: str
    kind: Kind = "value"
    aggregates: bool = False

    @property
    def value(self) -> str:
        """The Cypher of what is shown: of nodes their names, of relationships what they say.

        Raises:
            QueryError: If nothing of it can be shown.
        """
        if self.kind == "node":
            return _NAME.format(self.text)
        if self.kind == "relation":
            return f"coalesce({self.text}.predicate, type({self.text}))"
        if self.kind == "path":
            return f"[_n IN nodes({self.text}) | {_NAME.format('_n')}]"
        if self.kind == "relations":
            raise QueryError("a pattern of several lengths has no value", hint="name its path")
        return self.text


class ExpressionReader:
    """Reads expressions, those that bind least first."""

    def __init__(self, cursor: Cursor, patterns: Patterns) -> None:
        self._cursor = cursor
        self._patterns = patterns

    def read(self, scope: Scope) -> Expression:
        """Read a whole expression.

        Raises:
            QueryError: If it holds what no query may.
        """
        return self._joined(scope, ("OR", "XOR"), self._conjunction)

    def _conjunction(self, scope: Scope) -> Expression:
        return self._joined(scope, ("AND",), self._negation)

    def _joined(
        self, scope: Scope, words: tuple[str, ...], read: Callable[[Scope], Expression]
    ) -> Expression:
        left = read(scope)
        while word := next((one for one in words if self._cursor.take_word(one)), None):
            right = read(scope)
            left = _binary(left.value, word, right.value, left, right)
        return left

    def _negation(self, scope: Scope) -> Expression:
        if not self._cursor.take_word("NOT"):
            return self._comparison(scope)
        scope.use("times NOT", _MOST_NESTED, "write it simpler")
        inner = self._negation(scope)
        return Expression(f"(NOT {inner.value})", aggregates=inner.aggregates)

    def _comparison(self, scope: Scope) -> Expression:
        cursor, left = self._cursor, self._sum(scope)
        if cursor.is_sign("=~"):
            raise QueryError(
                "=~ is not allowed: a pattern may take forever",
                hint="use CONTAINS or STARTS WITH with toLower",
            )
        if cursor.token.kind == "sign" and cursor.token.text in _COMPARISONS:
            sign = cursor.next().text
            right = self._sum(scope)
            if sign in ("=", "<>") and left.kind == right.kind:  # nodes are compared as such
                return _binary(left.text, sign, right.text, left, right)
            return _binary(left.value, sign, right.value, left, right)
        for words in (("STARTS", "WITH"), ("ENDS", "WITH"), ("CONTAINS",), ("IN",)):
            if cursor.take_word(*words):
                right = self._sum(scope)
                return _binary(left.value, " ".join(words), right.value, left, right)
        if cursor.take_word("IS", "NOT", "NULL"):
            return Expression(f"({left.text} IS NOT NULL)", aggregates=left.aggregates)
        if cursor.take_word("IS", "NULL"):
            return Expression(f"({left.text} IS NULL)", aggregates=left.aggregates)
        return left

    def _sum(self, scope: Scope) -> Expression:
        left = self._product(scope)
        while self._cursor.is_sign("+") or self._cursor.is_sign("-"):
            sign = self._cursor.next().text
            scope.use("sums", _MOST_SUMS, "return the parts as columns")
            right = self._product(scope)
            left = _binary(left.value, sign, right.value, left, right)
        return left

    def _product(self, scope: Scope) -> Expression:
        left = self._unary(scope)
        while any(map(self._cursor.is_sign, "*/%^")):
            sign = self._cursor.next().text
            right = self._unary(scope)
            left = _binary(left.value, sign, right.value, left, right)
        return left

    def _unary(self, scope: Scope) -> Expression:
        if self._cursor.take_sign("-"):
            scope.use("minus signs", _MOST_NESTED, "write it simpler")
            inner = self._unary(scope)
            return Expression(f"(-{inner.value})", aggregates=inner.aggregates)
        return self._postfix(scope)

    def _postfix(self, scope: Scope) -> Expression:
        cursor, found = self._cursor, self._primary(scope)
        while True:
            if cursor.take_sign("."):
                name = property_of(found.kind, self._cursor.next_name())
                found = Expression(f"{found.text}.{name}", aggregates=found.aggregates)
            elif found.kind == "node" and cursor.is_sign(":"):
                labels, _ = self._patterns.read_labels(scope)
                found = Expression(f"({found.text}:{labels})", aggregates=found.aggregates)
            elif cursor.take_sign("["):
                found = self._part(found, scope)
            else:
                return found

    def _part(self, whole: Expression, scope: Scope) -> Expression:
        """Read an index or a slice, its opening bracket being read."""
        cursor = self._cursor
        first = None if cursor.is_sign("..") else self.read(scope)
        text = first.value if first else ""
        if cursor.take_sign(".."):
            text += ".."
            if not cursor.is_sign("]"):
                text += self.read(scope).value
        cursor.expect_sign("]")
        return Expression(f"{whole.value}[{text}]", aggregates=whole.aggregates)

    def _primary(self, scope: Scope) -> Expression:
        cursor, token = self._cursor, self._cursor.token
        if token.kind == "string":
            return Expression(scope.parameter(cursor.next().text))
        if token.kind == "number":
            return Expression(scope.parameter(_number(cursor.next().text)))
        if cursor.is_sign("("):
            return self._bracket(scope)
        if cursor.is_sign("["):
            return self._list(scope)
        if cursor.take_word("CASE"):
            scope.use("times CASE", _MOST_NESTED, "write it simpler")
            return self._case(scope)
        if token.kind == "quoted" or (token.kind == "name" and cursor.ahead(1) not in ("(", "{")):
            return self._word(scope)
        if token.kind == "name":
            return self._call(scope)
        if cursor.is_sign("$"):
            raise QueryError("no parameter is given to a query", hint="write the value in quotes")
        if cursor.is_sign("{"):
            raise QueryError("maps are not allowed", hint="return each value as a column")
        raise cursor.unexpected("a value")

    def _word(self, scope: Scope) -> Expression:
        cursor = self._cursor
        if cursor.token.kind == "name":
            for word in ("TRUE", "FALSE", "NULL"):
                if cursor.take_word(word):
                    return Expression(word)
        text, kind = scope.variable(cursor.next().text)
        return Expression(text, kind)

    def _bracket(self, scope: Scope) -> Expression:
        """Read a pattern, or an expression in brackets."""
        cursor = self._cursor
        after = cursor.closing() + 1
        first, second, third = (cursor.ahead(after + one) for one in range(3))
        if (first == "-" and second in ("[", "-")) or (
            (first, second) == ("<", "-") and third in ("[", "-")
        ):
            return Expression(self._patterns.read_alone(scope))
        cursor.expect_sign("(")
        inner = self.read(scope)
        cursor.expect_sign(")")
        return Expression(f"({inner.text})", inner.kind, inner.aggregates)

    def _list(self, scope: Scope) -> Expression:
        """Read a list of values; what is made for each element of another list is refused."""
        cursor = self._cursor
        cursor.expect_sign("[")
        values: list[str] = []
        while not cursor.take_sign("]"):
            if values:
                cursor.expect_sign(",")
            if cursor.token.kind not in ("string", "number") and not cursor.is_sign("-"):
                raise QueryError(
                    "a list may hold texts and numbers alone",
                    hint="return each value as a column; collect what several rows have",
                )
            values.append(self._unary(scope).text)
            if len(values) > _LONGEST_LIST:
                raise QueryError(f"a list has more than {_LONGEST_LIST} values")
        return Expression(f"[{', '.join(values)}]")

    def _call(self, scope: Scope) -> Expression:
        cursor = self._cursor
        if cursor.ahead(1) == "{":
            return self._inner_query(scope)
        name = cursor.next().text.lower()
        cursor.expect_sign("(")
        if name in _LISTS:
            return self._of_elements(_LISTS[name], scope)
        if name in AGGREGATES:
            return self._aggregate(AGGREGATES[name], scope)
        if name not in FUNCTIONS:
            instead = _INSTEAD.get(name, f"allowed: {', '.join((*FUNCTIONS, *AGGREGATES))}")
            raise QueryError(f"the function {name[:60]} is not allowed", hint=instead)
        arguments = [] if cursor.is_sign(")") else [self.read(scope)]
        while cursor.take_sign(","):
            arguments.append(self.read(scope))
        cursor.expect_sign(")")
        is_raw = name in ("length", "type")
        texts = [one.text if is_raw else one.value for one in arguments]
        aggregates = any(one.aggregates for one in arguments)
        return Expression(f"{FUNCTIONS[name]}({', '.join(texts)})", aggregates=aggregates)

    def _aggregate(self, name: str, scope: Scope) -> Expression:
        cursor = self._cursor
        if name == "count" and cursor.take_sign("*"):
            cursor.expect_sign(")")
            return Expression("count(*)", aggregates=True)
        distinct = "DISTINCT " if cursor.take_word("DISTINCT") else ""
        inner = self.read(scope)
        cursor.expect_sign(")")
        if inner.aggregates:
            raise QueryError(f"{name} of a count is not allowed", hint="count in WITH first")
        text = inner.text if name == "count" else inner.value
        if name == "collect":
            scope.use("lists by collect", 1, "return one row for each value")
            return Expression(f"collect({distinct}{text})[..{_MOST_COLLECTED}]", aggregates=True)
        return Expression(f"{name}({distinct}{text})", aggregates=True)

    def _of_elements(self, name: str, scope: Scope) -> Expression:
        """Read a condition on the elements of a list, its opening bracket being read."""
        cursor, inner = self._cursor, scope.inner()
        variable = inner.introduce(self._cursor.next_name(), "value")
        cursor.expect_word("IN")
        whole = self.read(scope).value
        cursor.expect_word("WHERE")
        condition = self.read(inner).value
        cursor.expect_sign(")")
        return Expression(f"{name}({variable} IN {whole} WHERE {condition})")

    def _inner_query(self, scope: Scope) -> Expression:
        cursor = self._cursor
        word = cursor.next().text.upper()
        if word not in ("EXISTS", "COUNT"):
            raise QueryError(
                f"{word[:40]} {{ }} is not allowed", hint="allowed are EXISTS { } and COUNT { }"
            )
        cursor.expect_sign("{")
        text = self._patterns.read_inner(scope.inner())
        cursor.expect_sign("}")
        return Expression(f"{word} {{ {text} }}")

    def _case(self, scope: Scope) -> Expression:
        cursor = self._cursor
        parts = ["CASE"]
        aggregates = False

        def add(word: str) -> None:
            nonlocal aggregates
            found = self.read(scope)
            aggregates |= found.aggregates
            parts.append(f"{word} {found.value}".strip())

        if not cursor.is_word("WHEN"):
            add("")
        while cursor.take_word("WHEN"):
            add("WHEN")
            cursor.expect_word("THEN")
            add("THEN")
        if cursor.take_word("ELSE"):
            add("ELSE")
        cursor.expect_word("END")
        return Expression(f"({' '.join(parts)} END)", aggregates=aggregates)


def _binary(left: str, sign: str, right: str, *parts: Expression) -> Expression:
    return Expression(f"({left} {sign} {right})", aggregates=any(one.aggregates for one in parts))


def _number(text: str) -> int | float:
    if len(text) > _MOST_DIGITS:
        raise QueryError(f"the number {text[:_MOST_DIGITS]}... is too long")
    return int(text) if text.isdigit() else float(text)
