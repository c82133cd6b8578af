"""Finds content of a damaged file that SQLite itself does not notice, as it keeps no checksums."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from hoptrail.core.types import Extraction, Finding, Places

_KINDS: dict[str, tuple[type, ...]] = {
    "TEXT": (str,),
    "INTEGER": (int,),
    "REAL": (float, int),
    "BLOB": (bytes,),
}
_DANGLING = """SELECT 1 FROM relations WHERE source NOT IN (SELECT id FROM entities)
    OR target NOT IN (SELECT id FROM entities) LIMIT 1"""


def unreadable_content(connection: sqlite3.Connection) -> str | None:
    """Return where a value stands that cannot be what was written, None if there is none.

    It reads every row, so it is for a base on which something has failed already.
    """
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in tables:
        if not str(table).startswith("sqlite_"):
            place = _unreadable_column(connection, table)
            if place is not None:
                return place
    lost = connection.execute("PRAGMA foreign_key_check").fetchone()
    if lost is not None:
        return f"{lost[0]} refers to what is not there"
    if connection.execute(_DANGLING).fetchone() is not None:
        return "relations refer to entities that are not there"
    return None


def _unreadable_column(connection: sqlite3.Connection, table: str) -> str | None:
    columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
    for _, name, kind, is_required, _, is_key in columns:
        read = _readers().get((table, name))
        for (value,) in connection.execute(f"SELECT {name} FROM {table}"):
            if value is None and not (is_required or is_key):
                continue
            if not isinstance(value, _KINDS.get(kind, (object,))) or not _is_read(read, value):
                return f"{table}.{name} holds what was never written there"
    return None


def _is_read(read: Callable[[Any], object] | None, value: object) -> bool:
    try:
        if read is not None:
            read(value)
    except (ValueError, TypeError, LookupError):
        return False
    return True


@cache
def _readers() -> dict[tuple[str, str], Callable[[Any], object]]:
    """Return how values that have a form of their own are read, by table and column."""
    return {
        ("chunks", "places"): TypeAdapter(Places).validate_json,
        ("replaced_chunks", "places"): TypeAdapter(Places).validate_json,
        ("documents", "metadata"): lambda value: dict(json.loads(value)),
        ("extractions", "result"): TypeAdapter(Extraction).validate_json,
        ("community_reports", "findings"): lambda value: [
            Finding.from_json(finding) for finding in json.loads(value)
        ],
        ("embeddings", "vector"): _floats,
        ("embedders", "probe"): _floats,
    }


def _floats(value: bytes) -> None:
    if len(value) % 4:
        raise ValueError("cut short")
