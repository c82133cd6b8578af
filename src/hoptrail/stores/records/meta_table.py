"""Single values of a knowledge base: its name, generation and state."""

from __future__ import annotations

import sqlite3

UNCHANGED = "0"  # as the last published generation
CHANGED = "1"  # otherwise, in whatever
LISTED = "listed"  # otherwise, in what `unpublished_table` lists
_CHANGED = "changed"


def read_meta(connection: sqlite3.Connection, key: str) -> str | None:
    """Return a value, or None where it was never written."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def write_meta(connection: sqlite3.Connection, key: str, value: str) -> None:
    """Set a value."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def generation(connection: sqlite3.Connection) -> int:
    """Return the number of the last published generation; 0 before the first."""
    return int(read_meta(connection, "generation") or 0)


def change_state(connection: sqlite3.Connection) -> str:
    """Return how the tables stand to the last published generation."""
    return read_meta(connection, _CHANGED) or UNCHANGED


def write_change_state(connection: sqlite3.Connection, state: str) -> None:
    """Note how the tables stand to the last published generation."""
    write_meta(connection, _CHANGED, state)


def mark_changed(connection: sqlite3.Connection) -> None:
    """Note that the tables differ from the last published generation, in whatever."""
    write_change_state(connection, CHANGED)


def is_changed(connection: sqlite3.Connection) -> bool:
    """Return whether the tables differ from the last published generation."""
    return change_state(connection) != UNCHANGED
