"""Rows of tables: of many ids, of tables that an older base lacks, and by names of columns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

BATCH = 400  # bound variables per statement, twice at most; old SQLite builds allow 999

Row = tuple[Any, ...]


def batches(values: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield runs of values of which each can be bound twice in a statement."""
    return (values[first : first + BATCH] for first in range(0, len(values), BATCH))


def among(column: str, values: Sequence[object]) -> str:
    """Return the condition that a column has one of the values that are bound."""
    return f"{column} IN ({','.join('?' * len(values))})"


def rows_among(connection: sqlite3.Connection, query: str, values: Sequence[str]) -> Iterator[Row]:
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
