"""Descriptions of relations, each stored once: a sentence tells of several relations.

The column `relations.description` holds a short text itself, and the number of a longer one, which
stands in the table `told`. The number is a hash of the text, so that equal texts have equal rows in
any base.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from hashlib import blake2b

_LEAST = 16  # characters; a number takes eight bytes, and more in its own table
_BATCH = 400  # bound variables per statement; old SQLite builds allow 999
_TEXT = """CASE typeof({column}) WHEN 'integer'
    THEN (SELECT text FROM told WHERE id = {column}) ELSE {column} END"""
_USED = "SELECT description FROM relations WHERE typeof(description) = 'integer'"


def stored_description(text: str) -> str | int:
    """Return what stands in the row of a relation for its description."""
    if len(text) < _LEAST:
        return text
    digest = blake2b(text.encode(errors="replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def put_told(connection: sqlite3.Connection, texts: Iterable[str]) -> None:
    """Store descriptions that rows of relations name."""
    connection.executemany(
        "INSERT OR IGNORE INTO told VALUES (?, ?)",
        ((stored_description(text), text) for text in texts if len(text) >= _LEAST),
    )


def description_column(connection: sqlite3.Connection, column: str) -> str:
    """Return the SQL of a description's text; up to format 10 the column holds all of it."""
    there = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'told'").fetchone()
    return column if there is None else _TEXT.format(column=column)


def told_by(connection: sqlite3.Connection, relations: Iterable[str]) -> set[int]:
    """Return the numbers of the texts that tell of some relations."""
    ids = list(relations)
    found: set[int] = set()
    for first in range(0, len(ids), _BATCH):
        some = ids[first : first + _BATCH]
        rows = connection.execute(
            f"""SELECT description FROM relations
            WHERE typeof(description) = 'integer' AND id IN ({",".join("?" * len(some))})""",
            some,
        )
        found.update(row[0] for row in rows)
    return found


def forget_told(connection: sqlite3.Connection, among: Iterable[int] | None = None) -> None:
    """Delete the texts that tell of no relation any more, of all or of some."""
    if among is None:
        connection.execute(f"DELETE FROM told WHERE id NOT IN ({_USED})")
        return
    unused = set(among)
    if unused:
        # One pass over the relations: an index for it would be a hundredth of the base.
        unused.difference_update(number for (number,) in connection.execute(_USED))
    numbers = [(number,) for number in sorted(unused)]
    connection.executemany("DELETE FROM told WHERE id = ?", numbers)
