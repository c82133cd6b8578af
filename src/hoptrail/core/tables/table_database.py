"""Tables as a database that one read-only query is asked of, and nothing else."""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from hoptrail.core.errors import QueryError
from hoptrail.core.tables.table import Column, Table
from hoptrail.core.text import clipped, name_key

ROW = "_row"
"""The column that numbers the rows of each table, from 1; a query may count by it."""
MOST_ROWS = 200
MAX_SECONDS = 5.0
_SECTION = "section"
_LONGEST_QUERY = 10_000
_LONGEST_VALUE = 1_000_000
_LONGEST_NAME = 40
_STEPS = 20_000  # of SQLite between two looks at the clock
_MOST_BEHIND = 10_000
_FUNCTIONS = frozenset(
    """abs avg cast coalesce count date group_concat ifnull iif instr julianday length like lower
    ltrim max min nullif printf replace round rtrim sign strftime substr substring sum total trim
    upper glob""".split()
)
_ACTIONS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ})
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: _LONGEST_VALUE,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: _LONGEST_QUERY,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 60,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 20,
}


@dataclass(frozen=True, slots=True)
class TableResult:
    """The rows of a query, up to `MOST_ROWS`, and whether there are more."""

    query: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    has_more: bool = False


class TableDatabase:
    """Tables by short names, with typed columns: numbers, days ("2024-05-03"), times, texts.

    It lives in memory, in one process. SQLite's own parser asks for leave before it compiles what a
    query wants: reading these tables and a list of functions without effect is all it gets. Time,
    rows and the length of values are limited. Close it after use.

    Args:
        tables: The tables; rows that sum others up are left out, so that nothing counts twice.
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = tuple(tables)
        self._names = table_names(self.tables)
        self._columns = {table.id: _column_names(table.columns) for table in self.tables}
        self._sections = {
            table.id: _free_name(_SECTION, set(map(str.casefold, self._columns[table.id].values())))
            for table in self.tables
            if table.sections
        }
        self._lock = threading.Lock()
        self._ends_at = 0.0
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        for table in self.tables:
            self._fill(table)
        for limit, most in _LIMITS.items():
            self._connection.setlimit(limit, most)
        self._connection.execute("PRAGMA temp_store = MEMORY")
        self._connection.set_authorizer(_authorize)
        self._connection.set_progress_handler(self._is_late, _STEPS)

    def close(self) -> None:
        """Give the memory back."""
        self._connection.close()

    def name(self, table: Table) -> str:
        """Return the name of a table in queries."""
        return self._names[table.id]

    def column_name(self, table: Table, column: Column) -> str:
        """Return the name of a column in queries, quoted."""
        return quoted(self.bare_column_name(table, column))

    def bare_column_name(self, table: Table, column: Column) -> str:
        """Return the name of a column in queries, without quotes."""
        return self._columns[table.id][column.index]

    def section_name(self, table: Table) -> str | None:
        """Return the name, quoted, of the column that tells what line of the table a row is below.

        None where all rows are below one, or none.
        """
        name = self._sections.get(table.id)
        return None if name is None else quoted(name)

    def check_names(self, query: str) -> None:
        """Raise where a query names a column that no table has.

        SQLite takes what is in double quotes and no column for a text.

        Raises:
            QueryError: If it does, or cannot be read.
        """
        parts = read_query(query)
        known = {name.casefold() for names in self._columns.values() for name in names.values()}
        known |= {name.casefold() for name in self._sections.values()}
        if unknown := sorted(parts.columns - known - parts.aliases - {ROW}):
            raise QueryError(f"no such column: {unknown[0]}")

    def run(self, query: str) -> TableResult:
        """Return the rows of one SELECT.

        Raises:
            QueryError: If it is none, names what is not there, or takes too long.
        """
        with self._lock:
            self._ends_at = time.monotonic() + MAX_SECONDS
            try:
                with closing(self._connection.execute(query)) as cursor:
                    rows = cursor.fetchmany(MOST_ROWS + 1)
                    columns = tuple(column[0] for column in cursor.description or ())
            except (sqlite3.Error, sqlite3.Warning, OverflowError, MemoryError) as error:
                raise QueryError(_told(error)) from error
        if not columns:
            raise QueryError("a query is one SELECT")
        return TableResult(query, columns, tuple(rows[:MOST_ROWS]), len(rows) > MOST_ROWS)

    def rows_behind(self, query: str) -> dict[str, tuple[int, ...]]:
        """Return the rows that a query reads, after its conditions, by the id of their table.

        Empty where that cannot be told: the query joins subqueries, or nothing at all.

        Raises:
            QueryError: If the query cannot be read.
        """
        found: dict[str, dict[int, None]] = {}
        for tables, statement in _readings(query, {name: id_ for id_, name in self._names.items()}):
            for row in self._behind(statement):
                for id_, number in zip(tables, row, strict=True):
                    if isinstance(number, int):
                        found.setdefault(id_, {})[number - 1] = None
        return {id_: tuple(sorted(rows)) for id_, rows in found.items()}

    def _behind(self, statement: str) -> list[tuple[Any, ...]]:
        with self._lock:
            self._ends_at = time.monotonic() + MAX_SECONDS
            try:
                return self._connection.execute(statement).fetchmany(_MOST_BEHIND)
            except sqlite3.Error as error:
                raise QueryError(_told(error)) from error

    def _is_late(self) -> bool:
        return time.monotonic() > self._ends_at

    def _fill(self, table: Table) -> None:
        section = self._sections.get(table.id)
        names = [*self._columns[table.id].values(), *([] if section is None else [section])]
        declared = ", ".join(f"{quoted(name)}" for name in names)
        name = quoted(self.name(table))
        self._connection.execute(f"CREATE TABLE {name} ({ROW} INTEGER PRIMARY KEY, {declared})")
        marks = ", ".join("?" * (len(names) + 1))

        def cells(at: int) -> Iterator[float | str | None]:
            yield at + 1
            yield from (_stored(table, at, column) for column in table.columns)
            if section is not None:
                yield table.rows[at].row.section or None

        rows = (tuple(cells(at)) for at in table.body)
        self._connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)


@dataclass(frozen=True, slots=True)
class QueryParts:
    """Names and values of a query: its columns, folded, the first one shown, and its texts.

    `aliases` are the names that it gives to what it shows or reads, folded.
    `is_computed` is whether what it shows first is no column as it stands; `measured` are the
    columns whose numbers that is made of, none where it counts or divides. `is_test` is whether it
    says that something holds: 1 or 0.
    """

    columns: frozenset[str]
    answer: str
    values: tuple[str, ...]
    is_computed: bool
    aliases: frozenset[str]
    measured: frozenset[str] = frozenset()
    is_test: bool = False


def read_query(query: str) -> QueryParts:
    """Return the names and values of a query that was run.

    Raises:
        QueryError: If it cannot be read.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        parsed = sqlglot.parse_one(query, read="sqlite")
    except (SqlglotError, RecursionError) as error:
        raise QueryError(f"the query cannot be read: {clipped(str(error), 200)}") from error
    columns = frozenset(column.name.casefold() for column in parsed.find_all(exp.Column))
    values = tuple(one.name for one in parsed.find_all(exp.Literal) if one.is_string)
    aliases = frozenset(one.alias.casefold() for one in parsed.find_all(exp.Alias, exp.CTE))
    shown = next(iter(getattr(parsed, "expressions", ())), None)
    shown = shown.this if isinstance(shown, exp.Alias) else shown
    if isinstance(shown, exp.Column) and parsed.args.get("group") is None:
        return QueryParts(
            columns, shown.name.casefold(), values, is_computed=False, aliases=aliases
        )
    return QueryParts(
        columns,
        "",
        values,
        is_computed=True,
        aliases=aliases,
        measured=_measured(shown),
        is_test=isinstance(shown, exp.Predicate | exp.Connector | exp.Not),
    )


def _measured(shown: Any) -> frozenset[str]:
    """Return the columns whose numbers an expression is made of, none where it counts or divides.

    Those of its conditions are left out.
    """
    from sqlglot import exp

    if shown is None or shown.find(exp.Count, exp.Div) is not None:
        return frozenset()
    taken = (one for one in shown.find_all(exp.Column) if one.find_ancestor(exp.Where) is None)
    return frozenset(column.name.casefold() for column in taken)


def quoted(name: str) -> str:
    """Return a name as SQL quotes it."""
    return '"' + name.replace('"', '""') + '"'


def _stored(table: Table, row: int, column: Column) -> float | str | None:
    value = table.value(row, column)
    if column.kind == "time" and isinstance(value, float | int):
        return f"{int(value) // 60:02}:{int(value) % 60:02}"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION:
        is_known = (second or "").lower() in _FUNCTIONS
        return sqlite3.SQLITE_OK if is_known else sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_READ and (first or "").startswith("sqlite_"):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ACTIONS else sqlite3.SQLITE_DENY


def _told(error: Exception) -> str:
    message = str(error)
    if "interrupted" in message:
        return f"the query took longer than {MAX_SECONDS:g} seconds"
    if "not authorized" in message or "prohibited" in message:
        return "the query wants more than to read these tables"
    return message or "the query is too large"


def table_names(tables: Sequence[Table]) -> dict[str, str]:
    """Return the name of each table in queries by its id: its own, else its document's."""
    names: dict[str, str] = {}
    for table in tables:
        told = table.name if len(name_key(table.name)) > 3 else table.title
        bare = re.sub(r"\W+", "_", told.casefold()).strip("_")[:_LONGEST_NAME] or "table"
        bare = f"t_{bare}" if bare[0].isdigit() or bare.startswith("sqlite_") else bare
        name, number = bare, 1
        while name in names.values():
            number += 1
            name = f"{bare}_{number}"
        names[table.id] = name
    return names


def _column_names(columns: Sequence[Column]) -> dict[int, str]:
    """Return a name for each column by its place; SQL does not tell "Price" from "price"."""
    names: dict[int, str] = {}
    taken = {ROW}
    for column in columns:
        bare = " ".join(column.label.split()) or f"column {column.index + 1}"
        name = names[column.index] = _free_name(bare, taken)
        taken.add(name.casefold())
    return names


def _free_name(bare: str, taken: Set[str]) -> str:
    """Return a name, with a number behind it where it is taken; these are folded."""
    name, number = bare, 1
    while name.casefold() in taken:
        number += 1
        name = f"{bare} ({number})"
    return name


def _readings(query: str, ids: dict[str, str]) -> Iterator[tuple[list[str], str]]:
    """Yield the tables that each SELECT of a query reads, and the query for their rows' numbers.

    Args:
        query: One query.
        ids: The ids of the tables by their names in it.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        parsed = sqlglot.parse_one(query, read="sqlite")
        for select in parsed.find_all(exp.Select):
            source = select.args.get("from_") or select.args.get("from")
            joins = select.args.get("joins") or []
            sources = [source.this, *(join.this for join in joins)] if source is not None else []
            if not sources or not all(isinstance(one, exp.Table) for one in sources):
                continue
            if not all(one.name.casefold() in ids for one in sources):
                continue
            reading = select.copy()
            columns = [exp.column(ROW, table=one.alias_or_name, quoted=True) for one in sources]
            is_grouped = reading.args.get("group") or any(
                one.find(exp.AggFunc) for one in select.expressions
            )
            reading.set("expressions", columns)
            for part in ("distinct", "group", "having"):
                reading.set(part, None)
            if is_grouped:
                reading.set("order", None)
                reading.set("limit", None)
            yield [ids[one.name.casefold()] for one in sources], reading.sql(dialect="sqlite")
    except (SqlglotError, RecursionError) as error:
        raise QueryError(f"the query cannot be read: {clipped(str(error), 200)}") from error
