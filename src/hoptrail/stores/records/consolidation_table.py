"""Decisions on the graph beside the documents: which names are one thing, how types are called."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from hoptrail.core.types.graph import Merge
from hoptrail.stores.records.graph_schema import read_edited_schema

LabelPair = tuple[str, str]
"""Labels of two senses, as in `Merge.kept` and `Merge.merged`."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """All that resolution has to respect.

    Attributes:
        vetoes: Pairs that must stay apart, whoever says otherwise.
        confirmed: Pairs that a model found to be one thing.
        type_labels: Entity type of the edited schema by the type that an extractor wrote (its name
            key).
    """

    vetoes: tuple[LabelPair, ...] = ()
    confirmed: tuple[LabelPair, ...] = ()
    type_labels: Mapping[str, str] = field(default_factory=dict)


def read_decisions(
    connection: sqlite3.Connection, schema: Collection[str] | None = None
) -> Decisions:
    """Return the decisions in a stable order, with the labels that a schema has.

    Args:
        connection: The base.
        schema: Allowed types; those of the edited schema where None.
    """
    vetoes = connection.execute("SELECT kept, merged FROM merge_vetoes ORDER BY id")
    confirmed = connection.execute(
        "SELECT kept, merged FROM merge_verdicts WHERE is_same ORDER BY kept, merged"
    )
    allowed = read_edited_schema(connection) if schema is None else schema
    labels = connection.execute("SELECT type, label FROM type_labels ORDER BY type")
    in_schema = {type_: label for type_, label in labels if label in allowed}
    return Decisions(tuple(vetoes), tuple(confirmed), in_schema)


def judged_labels(connection: sqlite3.Connection) -> set[str]:
    """Return the label of each sense that a model was asked about, whatever it said."""
    query = "SELECT kept FROM merge_verdicts UNION SELECT merged FROM merge_verdicts"
    return {label for (label,) in connection.execute(query)}


def put_verdicts(connection: sqlite3.Connection, verdicts: Mapping[LabelPair, bool]) -> None:
    """Store whether each pair is one thing."""
    connection.executemany(
        "INSERT OR REPLACE INTO merge_verdicts VALUES (?, ?, ?, ?)",
        [
            (Merge.make_id(kept, merged), kept, merged, is_same)
            for (kept, merged), is_same in verdicts.items()
        ],
    )


def put_type_labels(connection: sqlite3.Connection, labels: Mapping[str, str]) -> None:
    """Store the schema's type for these type names (name keys)."""
    connection.executemany("INSERT OR REPLACE INTO type_labels VALUES (?, ?)", labels.items())
