"""Rows of a damaged file that can be read, and values that are as they were written."""

from __future__ import annotations

import json
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from hoptrail.core.types import Finding, Places
from hoptrail.core.types.document import Spans, tables_of
from hoptrail.stores.records.result_tables import extraction_of
from hoptrail.stores.records.tables import Row

_COMPRESSED = {  # where they are long (`stored_values`)
    ("extractions", "result"),
    ("replaced_extractions", "result"),
}
_KINDS: dict[str, tuple[type, ...]] = {
    "TEXT": (str,),
    "INTEGER": (int,),
    "REAL": (float, int),
    "BLOB": (bytes,),
}
_DANGLING = """SELECT 1 FROM relations WHERE source NOT IN (SELECT id FROM entities)
    OR target NOT IN (SELECT id FROM entities) LIMIT 1"""
_LARGEST_PAGE = 65536  # bytes, each of which may be a row
_MOST_TRIED = 20_000  # ranges of rows


def unreadable_content(connection: sqlite3.Connection) -> str | None:
    """Return where a value stands that cannot be what was written, None if there is none.

    It reads every row, so it is for a base on which something has failed already.
    """
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in tables:
        if not str(table).startswith("sqlite_"):
            form = TableForm(connection, table)
            for row in connection.execute(f"SELECT * FROM {table}"):
                column = form.fault_of(row)
                if column is not None:
                    return f"{table}.{column} holds what was never written there"
    lost = connection.execute("PRAGMA foreign_key_check").fetchone()
    if lost is not None:
        return f"{lost[0]} refers to what is not there"
    if connection.execute(_DANGLING).fetchone() is not None:
        return "relations refer to entities that are not there"
    return None


class TableForm:
    """The columns of a table, and what may stand in each.

    Args:
        connection: Reads the base.
        table: Name of the table.
    """

    def __init__(self, connection: sqlite3.Connection, table: str) -> None:
        described = connection.execute(f"PRAGMA table_info({table})").fetchall()
        self.columns = [str(name) for _, name, *_ in described]
        self.key = [str(name) for _, name, *_, is_key in described if is_key]
        self._checked = [
            (
                str(name),
                (str, bytes) if (table, name) in _COMPRESSED else _KINDS.get(kind, (object,)),
                bool(is_required or is_key),
                _readers().get((table, name)),
            )
            for _, name, kind, is_required, _, is_key in described
        ]

    def fault_of(self, row: Row) -> str | None:
        """Return the first column of which the value cannot be what was written, None without."""
        for value, (name, held, is_required, read) in zip(row, self._checked, strict=True):
            if value is None and not is_required:
                continue
            if not isinstance(value, held) or not _is_read(read, value):
                return name
        return None


class DamagedTable:
    """The rows of a table in a file of which parts cannot be read.

    Args:
        connection: Reads the file; text that is no UTF-8 has to be read as some text.
        table: Name of the table.

    Attributes:
        form: Its columns.
        is_whole: Whether all rows read so far could be read, and are as they were written.
    """

    def __init__(self, connection: sqlite3.Connection, table: str) -> None:
        self._connection = connection
        self._table = table
        self.form = TableForm(connection, table)
        self.is_whole = True

    def rows(self) -> Iterator[Row]:
        """Yield the rows that can be read and whose values are as they were written."""
        for row in self._numbered() if self._has_numbers() else self._by_key():
            if self.form.fault_of(row) is None:
                yield row
            else:
                self.is_whole = False

    def _has_numbers(self) -> bool:
        with suppress(sqlite3.OperationalError):
            self._connection.execute(f"SELECT rowid FROM {self._table} LIMIT 0")
            return True
        return False

    def _numbered(self) -> Iterator[Row]:
        """Yield the rows by number; where one cannot be read, those beside it all the same.

        A page that is damaged ends the reading; the halves of what is left are tried by themselves,
        the longer ones first, as the page may be one that leads to all of them.
        """
        query = f"SELECT rowid, * FROM {self._table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
        (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
        ranges = deque([(0, pages * _LARGEST_PAGE)])
        for _ in range(_MOST_TRIED):
            if not ranges:
                return
            first, last = ranges.popleft()
            try:
                for number, *row in self._connection.execute(query, (first, last)):
                    first = number + 1
                    yield tuple(row)
            except sqlite3.DatabaseError:
                self.is_whole = False
                middle = (first + last) // 2
                ranges += [one for one in ((first, middle), (middle + 1, last)) if first < last]

    def _by_key(self) -> Iterator[Row]:
        """Yield the rows before the first damaged page, and those behind the last one."""
        seen: set[Row] = set()
        places = [self.form.columns.index(name) for name in self.form.key]
        for direction in ("", " DESC"):
            order = ", ".join(f"{name}{direction}" for name in self.form.key)
            try:
                for row in self._connection.execute(
                    f"SELECT * FROM {self._table} ORDER BY {order}"
                ):
                    key = tuple(row[place] for place in places)
                    if key in seen:
                        return
                    seen.add(key)
                    yield row
                return
            except sqlite3.DatabaseError:
                self.is_whole = False


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
        ("chunks", "tables"): tables_of,
        ("replaced_chunks", "tables"): tables_of,
        ("chunks", "unsure"): TypeAdapter(Spans).validate_json,
        ("replaced_chunks", "unsure"): TypeAdapter(Spans).validate_json,
        ("documents", "metadata"): lambda value: dict(json.loads(value)),
        ("extractions", "result"): extraction_of,
        ("replaced_extractions", "result"): extraction_of,
        ("community_reports", "findings"): lambda value: [
            Finding.from_json(finding) for finding in json.loads(value)
        ],
        ("embeddings", "vector"): _floats,
        ("embedders", "probe"): _floats,
    }


def _floats(value: Sequence[int]) -> None:
    if len(value) % 2:
        raise ValueError("cut short")
