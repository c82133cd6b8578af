"""A graph's schema: its entity types and a description, proposed from the data or edited."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Literal

from hoptrail.stores.records.meta_table import read_meta, write_meta

Origin = Literal["edited", "proposed"]

_ORIGINS: tuple[Origin, ...] = ("edited", "proposed")


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
