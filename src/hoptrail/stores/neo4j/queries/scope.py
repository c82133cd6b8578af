"""The names of a query: labels, types and properties of the base, and its own variables."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from hoptrail.core.errors import QueryError
from hoptrail.stores.neo4j.rows import Space

Kind = Literal["value", "node", "relation", "relations", "path"]
"""Of an expression; `relations` are those of a pattern of several lengths."""

ENTITY, PASSAGE, DOCUMENT = "__Entity__", "Chunk", "Document"
MENTIONS, FROM_DOCUMENT = "MENTIONS", "FROM_DOCUMENT"
NODE_PROPERTIES = frozenset(
    {"name", "type", "description", "aliases", "degree", "title", "text", "source", "uri"}
)
RELATION_PROPERTIES = frozenset({"predicate", "description", "weight"})
_MOST_NAMED = 8
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names of one base.

    Attributes:
        space: The load of the base that is shown.
        types: Labels of entity types.
        predicates: Relationship types between entities.
    """

    space: Space
    types: frozenset[str]
    predicates: frozenset[str]

    def space_labels(self, labels: Collection[str]) -> list[str]:
        """Return the labels of the space, one of which a node with some of these labels bears."""
        own = {PASSAGE: "chunk", DOCUMENT: "document"}
        kinds = {own.get(label, "entity") for label in labels} or {"entity", *own.values()}
        return [self.space.label(kind) for kind in sorted(kinds)]

    def label(self, name: str) -> str:
        """Return a label as a statement has it.

        Raises:
            QueryError: If no node of the base has such a label.
        """
        known = self.types | {ENTITY, PASSAGE, DOCUMENT}
        return _known("label", name, known)

    def relationship_type(self, name: str) -> str:
        """Return a relationship type as a statement has it.

        Raises:
            QueryError: If no relationship of the base is of such a type.
        """
        return _known("relationship type", name, self.predicates | {MENTIONS, FROM_DOCUMENT})


@dataclass(slots=True)
class Scope:
    """The variables at a place of a query, and what the whole of it has used up.

    Attributes:
        vocabulary: The names of the base.
        variables: Kind by name.
        parameters: Values of literals by the name of their parameter.
        met: Hidden and own variables of the nodes and relations matched since the last projection.
        carries: Whether rows bear already what they were matched from, as hidden columns.
        counts: How often what may make a query costly was used.
    """

    vocabulary: Vocabulary
    variables: dict[str, Kind] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    met: dict[str, Kind] = field(default_factory=dict)
    carries: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    hidden: Iterator[int] = field(default_factory=lambda: iter(range(1, 1_000)))

    def inner(self) -> Scope:
        """Return a scope whose new variables are not seen outside of it."""
        return replace(self, variables=dict(self.variables), met={})

    def begin_anew(self, variables: Mapping[str, Kind], *, carries: bool) -> None:
        """Forget all variables but these; what a projection does not list is not known after it."""
        self.variables = dict(variables)
        self.met = {}
        self.carries = carries

    def parameter(self, value: Any) -> str:
        """Return the parameter that stands for a literal."""
        name = f"v{len(self.parameters)}"
        self.parameters[name] = value
        return f"${name}"

    def hidden_name(self) -> str:
        """Return a variable that the query itself cannot name."""
        return f"_{next(self.hidden)}"

    def introduce(self, name: str, kind: Kind) -> str:
        """Let a variable be known, and return it as a statement has it.

        Raises:
            QueryError: If the name cannot be used.
        """
        if name.startswith("_") or len(name) > _LONGEST_NAME:
            raise QueryError(f"{name[:_LONGEST_NAME]!r} cannot be the name of a variable")
        if self.variables.get(name, kind) != kind:
            raise QueryError(f"the variable {name!r} stands for two things")
        self.variables[name] = kind
        return quoted(name)

    def variable(self, name: str) -> tuple[str, Kind]:
        """Return a variable as a statement has it, and its kind.

        Raises:
            QueryError: If it is not known here.
        """
        if name not in self.variables:
            raise QueryError(
                f"the variable {name[:_LONGEST_NAME]!r} is not known here",
                hint="texts stand in quotes; WITH passes on what it lists alone",
            )
        return quoted(name), self.variables[name]

    def use(self, what: str, most: int, hint: str) -> None:
        """Count what makes queries costly.

        Raises:
            QueryError: If there is too much of it.
        """
        self.counts[what] = self.counts.get(what, 0) + 1
        if self.counts[what] > most:
            raise QueryError(f"the query has more than {most} {what}", hint=hint)


def property_of(kind: Kind, name: str) -> str:
    """Return a property as a statement has it.

    Raises:
        QueryError: If things of that kind have no such property that may be read.
    """
    allowed: Mapping[Kind, frozenset[str]] = {
        "node": NODE_PROPERTIES,
        "relation": RELATION_PROPERTIES,
    }
    if kind not in allowed:
        raise QueryError(f"only nodes and relationships have properties such as {name[:40]!r}")
    return _known("property", name, allowed[kind])


def quoted(name: str) -> str:
    """Return a name in backticks; no token of a query holds one."""
    return f"`{name}`"


def _known(kind: str, name: str, known: Collection[str]) -> str:
    if name in known:
        return quoted(name)
    close = difflib.get_close_matches(name, sorted(known), n=3)
    some = sorted(known)[:_MOST_NAMED]
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(some)}"
    raise QueryError(f"there is no {kind} {name[:_LONGEST_NAME]!r}", hint=hint)
