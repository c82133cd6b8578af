"""Single values of a knowledge base: its name, generation and state."""

from __future__ import annotations

import sqlite3


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


def mark_changed(connection: sqlite3.Connection) -> None:
    """Note that the tables differ from the last published generation."""
    write_meta(connection, "changed", "1")


def is_changed(connection: sqlite3.Connection) -> bool:
    """Return whether the tables differ from the last published generation."""
    return read_meta(connection, "changed") == "1"
