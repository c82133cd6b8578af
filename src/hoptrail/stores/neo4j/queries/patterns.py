"""Patterns of a query, each node and relationship of which is held to one base."""

from __future__ import annotations

from collections.abc import Callable

from hoptrail.core.errors import QueryError
from hoptrail.stores.neo4j.queries.expressions import Expression
from hoptrail.stores.neo4j.queries.scope import (
    FROM_DOCUMENT,
    Kind,
    Scope,
    property_of,
    quoted,
)
from hoptrail.stores.neo4j.queries.tokens import Cursor

LONGEST_PATH = 5
"""Relationships that a pattern of several lengths may have in a row."""
_MOST_NODES = 16
_NOT_RELATIONS = "MENTIONS|FROM_DOCUMENT|NEXT_CHUNK|IN_COMMUNITY|PARENT_COMMUNITY|__Past__"
_ANY_RELATION = "&".join(f"!{type_}" for type_ in _NOT_RELATIONS.split("|"))
_BASE = "kb: $kb"


class PatternReader:
    """Reads patterns; conditions within them are read by `read_expression`, which is set later."""

    read_expression: Callable[[Scope], Expression]

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor

    def read_all(self, scope: Scope) -> str:
        """Read the patterns of a MATCH.

        Raises:
            QueryError: If they hold what no query may.
        """
        found = [self._path(scope)]
        while self._cursor.take_sign(","):
            found.append(self._path(scope))
        return ", ".join(found)

    def read_alone(self, scope: Scope) -> str:
        """Read a pattern with a relationship that is a condition by itself."""
        inner = scope.inner()
        text = self._chain(inner, names_all=False)
        if new := inner.variables.keys() - scope.variables.keys():
            name = sorted(new)[0]
            raise QueryError(
                f"a condition cannot bring in the variable {name!r}",
                hint="write EXISTS { pattern }",
            )
        return text

    def read_inner(self, scope: Scope) -> str:
        """Read what stands between the braces of EXISTS and COUNT."""
        self._cursor.take_word("MATCH")
        text = f"MATCH {self._inner_chains(scope)}"
        if self._cursor.take_word("WHERE"):
            text += f" WHERE {self.read_expression(scope).value}"
        return text

    def read_labels(self, scope: Scope) -> tuple[str, frozenset[str]]:
        """Read labels after a colon; return them and which a node must bear one of."""
        self._cursor.expect_sign(":")
        names: set[str] = set()
        text = self._any_of(lambda name: self._label(name, names, scope))
        return text, frozenset(names)

    def _inner_chains(self, scope: Scope) -> str:
        found = [self._chain(scope, names_all=False)]
        while self._cursor.take_sign(","):
            found.append(self._chain(scope, names_all=False))
        return ", ".join(found)

    def _path(self, scope: Scope) -> str:
        cursor = self._cursor
        start = ""
        if cursor.token.kind in ("name", "quoted") and cursor.ahead(1) == "=":
            start = f"{scope.introduce(cursor.next().text, 'path')} = "
            cursor.expect_sign("=")
        if cursor.is_word("SHORTESTPATH") or cursor.is_word("ALLSHORTESTPATHS"):
            raise QueryError(
                "shortestPath is not allowed",
                hint=f"match p = (a)-[*1..{LONGEST_PATH}]-(b) and ORDER BY length(p) LIMIT 1",
            )
        if not cursor.is_sign("("):
            raise cursor.unexpected("a pattern such as (a)-[:TYPE]->(b)")
        return start + self._chain(scope, names_all=True)

    def _chain(self, scope: Scope, *, names_all: bool) -> str:
        text = self._node(scope, names_all)
        while self._cursor.is_sign("-") or self._cursor.is_sign("<"):
            text += self._relation(scope, names_all) + self._node(scope, names_all)
        return text

    def _node(self, scope: Scope, names_all: bool) -> str:
        cursor = self._cursor
        cursor.expect_sign("(")
        scope.use("nodes in patterns", _MOST_NODES, "ask for less at once")
        name = cursor.next().text if cursor.token.kind in ("name", "quoted") else None
        is_known = name in scope.variables
        variable = self._variable(name, "node", scope, names_all)
        labels, names = self.read_labels(scope) if cursor.is_sign(":") else ("", frozenset())
        properties = self._properties("node", scope)
        cursor.expect_sign(")")
        # What is matched again is held to the base already.
        own = "|".join(map(quoted, scope.vocabulary.space_labels(names)))
        parts = [f"({labels})"] if labels else []
        parts += [] if is_known else [f"({own})"]
        mapped = properties if is_known else [_BASE, *properties]
        label = f":{'&'.join(parts)}" if parts else ""
        return f"({variable}{label}{_map(mapped)})"

    def _relation(self, scope: Scope, names_all: bool) -> str:
        cursor = self._cursor
        left = "<-" if cursor.take_sign("<") else "-"
        cursor.expect_sign("-")
        variable, types, length, properties = "", "", "", [_BASE]
        if cursor.take_sign("["):
            name = cursor.next().text if cursor.token.kind in ("name", "quoted") else None
            names: set[str] = set()
            if cursor.take_sign(":"):
                types = self._any_of(lambda one: self._type(one, names, scope))
            length = self._length()
            kind: Kind = "relations" if length else "relation"
            variable = self._variable(name, kind, scope, names_all)
            properties = self._properties("relation", scope)
            if FROM_DOCUMENT not in names:
                properties = [_BASE, *properties]
            elif length or names != {FROM_DOCUMENT}:
                raise QueryError(f"{FROM_DOCUMENT} stands alone in a relationship")
            cursor.expect_sign("]")
        else:
            variable = self._variable(None, "relation", scope, names_all)
        types = types or self._any_type(scope, bool(length))
        cursor.expect_sign("-")
        right = "->" if cursor.take_sign(">") else "-"
        return f"{left}[{variable}:{types}{length}{_map(properties)}]{right}"

    def _variable(self, name: str | None, kind: Kind, scope: Scope, names_all: bool) -> str:
        """Return a variable; what has no name gets one, so that it can be part of the trail."""
        if name is not None:
            variable = scope.introduce(name, kind)
        elif names_all:
            variable = scope.hidden_name()
        else:
            return ""
        scope.met[variable] = kind
        return variable

    def _length(self) -> str:
        """Read how many relationships follow each other: one where nothing is said."""
        cursor = self._cursor
        if not cursor.take_sign("*"):
            return ""
        least = self._whole_number()
        most = self._whole_number() if cursor.take_sign("..") else least
        if most is None or most > LONGEST_PATH:
            raise QueryError(
                "a pattern of several lengths needs a bound",
                hint=f"write *1..{LONGEST_PATH} at most",
            )
        return f"*{1 if least is None else least}..{most}"

    def _whole_number(self) -> int | None:
        token = self._cursor.token
        if token.kind != "number":
            return None
        self._cursor.next()
        if not token.text.isdigit():
            raise QueryError(f"{token.text[:20]} is no length")
        return int(token.text[:9])

    def _any_type(self, scope: Scope, has_length: bool) -> str:
        if not has_length:
            return _ANY_RELATION
        # Neo4j takes no negation where a pattern has several lengths.
        return "|".join(map(quoted, sorted(scope.vocabulary.predicates))) or "RELATES_TO"

    def _any_of(self, read: Callable[[str], str]) -> str:
        """Read names joined by `|`, `&`, `:` and `!`, those in brackets first."""
        cursor = self._cursor
        text = self._all_of(read)
        while cursor.take_sign("|"):
            cursor.take_sign(":")
            text += f"|{self._all_of(read)}"
        return text

    def _all_of(self, read: Callable[[str], str]) -> str:
        text = self._one(read)
        while self._cursor.take_sign("&") or self._cursor.take_sign(":"):
            text += f"&{self._one(read)}"
        return text

    def _one(self, read: Callable[[str], str]) -> str:
        cursor = self._cursor
        if cursor.take_sign("!"):
            raise QueryError("! is not allowed among labels and types", hint="write NOT in WHERE")
        if cursor.take_sign("("):
            text = self._any_of(read)
            cursor.expect_sign(")")
            return f"({text})"
        token = cursor.next()
        if token.kind not in ("name", "quoted"):
            raise QueryError(f"{token.text[:40]!r} stands where a label or type is expected")
        return read(token.text)

    def _label(self, name: str, names: set[str], scope: Scope) -> str:
        names.add(name)
        return scope.vocabulary.label(name)

    def _type(self, name: str, names: set[str], scope: Scope) -> str:
        names.add(name)
        return scope.vocabulary.relationship_type(name)

    def _properties(self, kind: Kind, scope: Scope) -> list[str]:
        cursor = self._cursor
        found: list[str] = []
        if cursor.is_word("WHERE"):
            raise QueryError("WHERE stands behind the pattern", hint="MATCH (a) WHERE a.name = ...")
        if not cursor.take_sign("{"):
            return found
        while not cursor.take_sign("}"):
            if found:
                cursor.expect_sign(",")
            token = cursor.next()
            name = property_of(kind, token.text)
            cursor.expect_sign(":")
            found.append(f"{name}: {self.read_expression(scope).value}")
        return found


def _map(properties: list[str]) -> str:
    return f" {{{', '.join(properties)}}}" if properties else ""
