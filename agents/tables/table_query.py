"""A query over one table, as templates build it, and its text in SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hoptrail.core.tables.table import Column, Table
from hoptrail.core.tables.table_database import TableDatabase, quoted

Aggregate = Literal[
    "cells",
    "count",
    "sum",
    "mean",
    "most",
    "least",
    "difference",
    "most_rows",
    "least_rows",
    "most_sum",
    "least_sum",
]
GROUPED: frozenset[Aggregate] = frozenset({"most_rows", "least_rows", "most_sum", "least_sum"})
"""Those that compare groups of rows: how many there are, or what a column comes to."""


SECTION = "{section}"
"""Stands in a test for the name of what tells the line that a row is below."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of the rows of a table; in `test`, "{}" stands for the name of the column."""

    column: Column
    test: str

    def sql(self, table: Table, database: TableDatabase) -> str:
        """Return the test as SQL."""
        section = database.section_name(table) or ""
        test = self.test.replace("{}", database.column_name(table, self.column))
        return test.replace(SECTION, section)


@dataclass(frozen=True, slots=True)
class TableQuery:
    """A query that a template writes.

    Attributes:
        table: What is asked.
        aggregate: What is made of the cells.
        rows: The places of the rows that fulfil the conditions.
        columns: Whose cells are taken.
        conditions: How the rows are found.
        key: The column that names the row, or group of rows, that has the most or least.
        skipped: How many rows with more, or less, are passed over.
        count: How many rows are told.
    """

    table: Table
    aggregate: Aggregate
    rows: tuple[int, ...]
    columns: tuple[Column, ...]
    conditions: tuple[Condition, ...] = ()
    key: Column | None = None
    skipped: int = 0
    count: int = 1

    @property
    def is_time_span(self) -> bool:
        """Whether it takes the two times between which something is, as one answer."""
        kinds = [column.kind for column in self.columns]
        return self.aggregate == "cells" and kinds == ["time", "time"]

    def sql(self, database: TableDatabase) -> str:
        """Return the query as SQL over the tables of a database."""
        name = quoted(database.name(self.table))
        tests = [condition.sql(self.table, database) for condition in self.conditions]
        source = f"FROM {name}{' WHERE ' if tests else ''}{' AND '.join(tests)}"
        columns = [database.column_name(self.table, column) for column in self.columns]
        if self.aggregate == "count":
            return f"SELECT count(*) {source}"
        if self.aggregate in GROUPED and self.key is not None:
            group = database.column_name(self.table, self.key)
            measure = "count(*)" if self.aggregate.endswith("rows") else f"sum({columns[0]})"
            order = "DESC" if self.aggregate.startswith("most") else "ASC"
            known = f"{source} {'AND' if tests else 'WHERE'} {group} IS NOT NULL"
            counted = f"SELECT {group}, {measure} AS n {known} GROUP BY 1"
            return f"{counted} ORDER BY n {order} {self._limit()}"
        if self.aggregate == "cells":
            return f"SELECT {', '.join(columns)} {source}"
        if self.aggregate == "sum":
            return f"SELECT {' + '.join(f'sum({column})' for column in columns)} {source}"
        if self.aggregate == "difference" and len(columns) > 1:
            return f"SELECT abs({columns[0]} - {columns[1]}) {source}"
        if self.aggregate == "difference":
            return f"SELECT max({columns[0]}) - min({columns[0]}) {source}"
        if self.aggregate == "mean":
            return f"SELECT avg(value) FROM ({self._values(columns, source)})"
        order = "DESC" if self.aggregate == "most" else "ASC"
        limit = self._limit()
        if self.key is not None:
            measured = columns[0]
            told = dict.fromkeys((database.column_name(self.table, self.key), measured))
            known = f"{source} {'AND' if tests else 'WHERE'} {measured} IS NOT NULL"
            return f"SELECT {', '.join(told)} {known} ORDER BY {measured} {order} {limit}"
        return (
            f"SELECT name, value FROM ({self._values(columns, source)}) "
            f"WHERE value IS NOT NULL ORDER BY value {order} {limit}"
        )

    def _limit(self) -> str:
        return f"LIMIT {self.count}" + (f" OFFSET {self.skipped}" if self.skipped else "")

    def _values(self, columns: list[str], source: str) -> str:
        parts = (
            f"SELECT {literal(column.label)} AS name, {told} AS value {source}"
            for column, told in zip(self.columns, columns, strict=True)
        )
        return " UNION ALL ".join(parts)


def literal(value: str | float) -> str:
    """Return a value as SQL writes it."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)
