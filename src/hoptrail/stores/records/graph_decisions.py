"""Decisions on the graph beside the documents: its schema, names of one thing, type labels."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hoptrail.core.types.graph import Merge
from hoptrail.stores.records.tables import read_meta, write_meta

Origin = Literal["edited", "proposed"]

_ORIGINS: tuple[Origin, ...] = ("edited", "proposed")
LabelPair = tuple[str, str]
"""Labels of two senses, as in `Merge.kept` and `Merge.merged`."""


def read_schema(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the definition of each entity type: the edited ones, else the proposed ones."""
    stored = (read_meta(connection, f"{origin}_schema") for origin in _ORIGINS)
    found: dict[str, str] = json.loads(next(filter(None, stored), "{}"))
    return found


def read_edited_schema(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the entity types that were given, none where they are only proposed."""
    found: dict[str, str] = json.loads(read_meta(connection, "edited_schema") or "{}")
    return found


def read_description(connection: sqlite3.Connection) -> str:
    """Return what the graph is about: the edited text, else the proposed one."""
    stored = (read_meta(connection, f"{origin}_description") for origin in _ORIGINS)
    return next(filter(None, stored), "")


def write_schema(
    connection: sqlite3.Connection, origin: Origin, definitions: Mapping[str, str]
) -> None:
    """Store the definitions of entity types; none at all makes room for the proposed ones."""
    text = json.dumps(dict(definitions), ensure_ascii=False) if definitions else ""
    write_meta(connection, f"{origin}_schema", text)


def write_description(connection: sqlite3.Connection, origin: Origin, text: str) -> None:
    """Store a description; an empty one makes room for the proposed one."""
    write_meta(connection, f"{origin}_description", text)


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
