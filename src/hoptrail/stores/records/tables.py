"""Rows of tables, of many ids or of tables that an older base lacks; single values of a base."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

BATCH = 400  # bound variables per statement, twice at most; old SQLite builds allow 999

Row = tuple[Any, ...]
V = TypeVar("V")


def batches(values: Iterable[V], size: int = BATCH) -> Iterator[list[V]]:
    """Yield lists of at most `size` values, by default such that a statement can bind twice."""
    remaining = iter(values)
    while batch := list(islice(remaining, size)):
        yield batch


def among(column: str, values: Sequence[object]) -> str:
    """Return the condition that a column has one of the values that are bound."""
    return f"{column} IN ({','.join('?' * len(values))})"


def rows_among(
    connection: sqlite3.Connection, query: str, values: Sequence[str] | Sequence[int]
) -> Iterator[Row]:
    """Yield the rows of a query for some values, in batches.

    Args:
        connection: Reads the base.
        query: With `{}` for the list of values, which stands in it once.
        values: As many as there are.
    """
    for some in batches(values):
        yield from connection.execute(query.format(f"({','.join('?' * len(some))})"), some)


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Return whether a table is there: a base of an older format may be open for reading."""
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return connection.execute(query, (name,)).fetchone() is not None


def insertion(table: str, columns: Sequence[str], insert: str = "INSERT") -> str:
    """Return the statement that inserts a row of these columns."""
    marks = ", ".join("?" * len(columns))
    return f"{insert} INTO {table} ({', '.join(columns)}) VALUES ({marks})"


def columns_of(cursor: sqlite3.Cursor) -> list[str]:
    """Return the names of the columns of what a statement gives."""
    return [described[0] for described in cursor.description]


UNCHANGED = "0"  # as the last published generation
CHANGED = "1"  # otherwise, in whatever
LISTED = "listed"  # otherwise, in what `change_table` lists
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
