"""Proposes entity types and a description for a graph from what is in it, without a model."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.names import is_unnamed
from hoptrail.core.text import content_words
from hoptrail.core.types.graph import CO_OCCURS, VALUE_TYPES
from hoptrail.stores.snapshot.arrays import Arrays

_TYPES = 100
_EXAMPLES = 3
_NAMES_TRIED = 12  # of the best connected nodes of a type, some have no name
_PREDICATES = 5
_PREDICATES_TRIED = 20
_LONGEST_EXAMPLE = 60
_SPARSE = 4  # keys of which fewer than one in so many is there are sorted to be counted

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SchemaProposal:
    """Definitions of the most frequent entity types, and a sentence on the whole graph."""

    definitions: dict[str, str]
    description: str


def propose_schema(connection: sqlite3.Connection, graph: Arrays) -> SchemaProposal:
    """Describe each type by its number, well connected examples and predicates with their ranges.

    Args:
        connection: Where names are read.
        graph: The arrays of the graph index of that state.
    """
    of_entity = np.asarray(graph["entity_type"], dtype=np.int64)
    names: list[str] = graph["types"].tolist()
    types = _Types(names, np.bincount(of_entity, minlength=len(names)), of_entity)
    facts = _Facts(graph, types)
    definitions = {
        types.names[place]: _definition(connection, facts, place)
        for place in _most(types.sizes, _TYPES)
        if types.names[place]
    }
    return SchemaProposal(definitions, _description(connection, facts, list(definitions)))


@dataclass(frozen=True, slots=True)
class _Types:
    """The distinct types, how many entities have each, and the place of each entity's."""

    names: list[str]
    sizes: Counts
    of_entity: Counts


class _Facts:
    """Counts over the relations, by types of their ends and predicate."""

    def __init__(self, graph: Arrays, types: _Types) -> None:
        self.types = types
        self.predicates: list[str] = graph["predicates"].tolist()
        self.entity_ids = graph["entity_ids"]
        self.degrees = np.diff(graph["entity_relations.indptr"])
        predicate = np.asarray(graph["relation_predicate"], dtype=np.int64)
        self.uses = np.bincount(predicate, minlength=len(self.predicates))
        width = max(len(self.predicates), 1)
        depth = max(len(types.names), 1)
        source, target = (types.of_entity[graph[f"relation_{end}"]] for end in ("source", "target"))
        keys, self.counts = _counted((source * width + predicate) * depth + target)
        pairs, self.target = np.divmod(keys, depth)
        self.source, self.predicate = np.divmod(pairs, width)

    def ranges(self, type_: int) -> list[tuple[str, str]]:
        """Return the commonest predicates of a type with the commonest type of their objects."""
        first, last = np.searchsorted(self.source, [type_, type_ + 1])
        totals: dict[int, int] = {}
        best: dict[int, tuple[int, int]] = {}
        for row in range(first, last):
            predicate, count = int(self.predicate[row]), int(self.counts[row])
            totals[predicate] = totals.get(predicate, 0) + count
            if count > best.get(predicate, (0, 0))[0]:
                best[predicate] = (count, int(self.target[row]))
        ranked = sorted(totals, key=lambda p: (-totals[p], self.predicates[p]))[:_PREDICATES]
        return [(self.predicates[p], self.types.names[best[p][1]]) for p in ranked]

    def examples(self, connection: sqlite3.Connection, type_: int) -> list[str]:
        """Return the names of well connected entities of a type."""
        return self._names(connection, np.flatnonzero(self.types.of_entity == type_))

    def best_known(self, connection: sqlite3.Connection) -> list[str]:
        """Return the names of the best connected entities that are no dates or numbers."""
        values = [place for place, name in enumerate(self.types.names) if name in VALUE_TYPES]
        return self._names(connection, np.flatnonzero(~np.isin(self.types.of_entity, values)))

    def _names(self, connection: sqlite3.Connection, rows: Counts) -> list[str]:
        tried = rows[np.lexsort((rows, -self.degrees[rows]))[:_NAMES_TRIED]]
        query = "SELECT name FROM entities WHERE id = ?"
        names: list[str] = [
            connection.execute(query, (str(id_),)).fetchone()[0] for id_ in self.entity_ids[tried]
        ]
        short = (name for name in names if not is_unnamed(name) and len(name) <= _LONGEST_EXAMPLE)
        return list(dict.fromkeys(short))[:_EXAMPLES]


def _definition(connection: sqlite3.Connection, facts: _Facts, type_: int) -> str:
    size = int(facts.types.sizes[type_])
    parts = ["one entity" if size == 1 else f"{size:,} entities"]
    examples = facts.examples(connection, type_)
    if examples:
        parts[0] += f", such as {_listed(examples)}"
    ranges = [
        f"{predicate} -> {target}" if target else predicate
        for predicate, target in facts.ranges(type_)
    ]
    if ranges:
        parts.append(f"predicates: {', '.join(ranges)}")
    return "; ".join(parts)


def _description(connection: sqlite3.Connection, facts: _Facts, types: Sequence[str]) -> str:
    relations = int(facts.uses.sum())
    if not relations:
        return ""
    text = f"A graph of {len(facts.entity_ids):,} entities and {relations:,} relations."
    known = facts.best_known(connection)
    if known:
        text += f" Its best connected entities are {_listed(known)}."
    commonest = (facts.predicates[place] for place in _most(facts.uses, _PREDICATES_TRIED))
    # "co-occurs with", "in" and "has" tell nothing of what a graph is about.
    common = [one for one in commonest if one != CO_OCCURS and content_words(one)][:_PREDICATES]
    if common:
        text += f" Its commonest predicates are {_listed(common)}."
    things = [name for name in types if name.lower() not in VALUE_TYPES]
    if things:
        text += f" Its commonest entity types are {_listed(things[:_PREDICATES])}."
    return text


def _counted(keys: Counts) -> tuple[Counts, Counts]:
    """Return the distinct ones of whole numbers, ascending, and how often each is there."""
    most = int(keys.max(initial=0))
    if most > _SPARSE * len(keys):
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys, minlength=1)
    found = np.flatnonzero(counts)
    return found, counts[found]


def _most(sizes: Counts | NDArray[Any], count: int) -> list[int]:
    """Return the places of the largest values, largest first."""
    order: list[int] = np.argsort(-sizes, kind="stable")[:count].tolist()
    return order


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
