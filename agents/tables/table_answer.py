"""The answer that the rows of a table give, with a claim for each cell that it rests on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from math import isclose

from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.reserves import ASKED, other_text, silent, unstated
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.asked_value import unit_of
from hoptrail.agents.tables.query_template import Written
from hoptrail.agents.tables.table_links import yes_or_no
from hoptrail.agents.tables.table_query import GROUPED, TableQuery
from hoptrail.agents.tables.templates import write_from_template
from hoptrail.core.tables.cell_values import is_missing
from hoptrail.core.tables.table import Column, Table
from hoptrail.core.tables.table_database import TableDatabase
from hoptrail.core.types.draft import Draft, HopClaim

MOST_HOPS = 50
_MOST_COMPARED = 10
"""Cells that are shown of those among which one has the most: the first ones."""
_MOST_ANSWERS = 50
_SLIP = 1e-3  # of a sum, which rounded numbers may come to
_CURRENCIES = "£€$¥"
# "How many can I borrow?" asks for a rule, which the number of rows does not tell.
_ALLOWED = re.compile(r"\b(?:can|may|must|could|should)\b")
_TWO_DECIMALS = re.compile(r"\d[.,]\d\d$")


def answer_from_tables(
    question: str,
    tables: Sequence[Table],
    similarity: TextSimilarity,
) -> Draft | None:
    """Return the answer of the query that a template writes, None where none fits the question.

    A cell that the question surely asks for and that holds nothing is an abstention.

    Args:
        question: The standalone question.
        tables: Those that may hold the answer, the likeliest first.
        similarity: Compares wordings.
    """
    tables = [table for table in tables if table.columns and table.body]
    written = write_from_template(question, tables, similarity)
    if written is None:
        return None
    query = written.query
    sql, answers = _asked(query)
    hops = (*_way(written), *claims_of(query))[:MOST_HOPS]
    if answers == ("0",) and not written.is_sure:
        return None  # nothing fits what was understood of the question
    if not answers:
        return Draft("tables", reason="no_evidence", raw=sql)
    derived = query.aggregate != "cells" or query.is_time_span
    if focus_of(question).answer_type == "yes_no":
        derived, answers = True, tuple(yes_or_no(one) or one for one in answers)
    return Draft(
        "tables", answers, hops=hops, derived=derived, raw=sql, reserve=_reserve(question, written)
    )


def _asked(query: TableQuery) -> tuple[str, tuple[str, ...]]:
    """Return a query as SQL, and the answers that it gives."""
    with closing(TableDatabase([query.table])) as database:
        sql = query.sql(database)
        return sql, _answers(query, database.run(sql).rows)


def claims_of(query: TableQuery) -> tuple[HopClaim, ...]:
    """Return a claim for each cell that a query takes: the row, the head, the cell.

    A count takes the cells of its first condition, else the names of the rows.
    """
    columns = query.columns
    if query.aggregate == "count" and query.conditions:
        columns = (query.conditions[0].column,)
    cells = [(row, column) for row in query.rows for column in columns]
    if query.aggregate in {"most", "least"}:
        cells = _from_the_end(query, cells)[: max(_MOST_COMPARED, query.skipped + query.count)]
    if query.aggregate in GROUPED:
        cells = _by_group(query)
    is_by_sum = query.aggregate in {"most_sum", "least_sum"}
    key = query.key if is_by_sum else None
    return tuple(claim_of(query.table, row, column, key) for row, column in cells)


def claim_of(table: Table, row: int, column: Column, key: Column | None = None) -> HopClaim:
    """Return what a row says of one of its cells; of the cell that names it, it says that it is.

    Args:
        table: The table.
        row: The place of the row.
        column: That of the cell.
        key: The column that the claim names the row by, if not by its own name.
    """
    cell, name = table.text(row, column.index), table.row_name(row)
    if key is not None:
        name = table.text(row, key.index)
    elif column == table.name_column:
        others = (one for one in table.columns if one != column and table.text(row, one.index))
        column = next(others, column)
        name, cell = cell, table.text(row, column.index)
    placed = table.rows[row]
    return HopClaim(name, column.label, cell, placed.chunk_id, row_start=placed.row.start)


def _by_group(query: TableQuery) -> list[tuple[int, Column]]:
    """Return the cells by the group of their row, that with the most or least first."""
    (column,), key = query.columns, query.key or query.columns[0]
    groups: dict[str, list[int]] = {}
    for row in query.rows:
        groups.setdefault(query.table.text(row, key.index), []).append(row)

    def size(rows: list[int]) -> float:
        if query.aggregate.endswith("rows"):
            return len(rows)
        values = (query.table.value(row, column) for row in rows)
        return sum(value for value in values if isinstance(value, float))

    ordered = sorted(groups.values(), key=size, reverse=query.aggregate.startswith("most"))
    return [(row, column) for rows in ordered for row in rows]


def _from_the_end(query: TableQuery, cells: list[tuple[int, Column]]) -> list[tuple[int, Column]]:
    """Return the cells that hold a value, the one with the most or least first."""
    held = [one for one in cells if query.table.value(*one) is not None]

    def order(cell: tuple[int, Column]) -> tuple[float, str]:
        value = query.table.value(*cell)
        return (0.0, value) if isinstance(value, str) else (value or 0.0, "")

    return sorted(held, key=order, reverse=query.aggregate == "most")


def _way(written: Written) -> tuple[HopClaim, ...]:
    """Return the claims of the rows of other tables that led to this one."""
    return tuple(claim_of(table, row, column) for table, row, column in written.via)


def _answers(query: TableQuery, rows: Sequence[tuple[object, ...]]) -> tuple[str, ...]:
    """Return what the result says, as a reader writes it; nothing where it is empty."""
    if query.is_time_span:
        ends = ([query.table.text(row, one.index) for one in query.columns] for row in query.rows)
        return tuple(dict.fromkeys(" to ".join(both) for both in ends if all(both)))
    if query.aggregate == "cells":
        texts = (
            _with_unit(query.table.text(row, column.index), column)
            for row in query.rows
            for column in query.columns
        )
        told = dict.fromkeys(text for text in texts if not is_missing(text))
        return tuple(told)[:_MOST_ANSWERS]
    if not rows or rows[0][0] is None:
        return ()
    if query.aggregate in {"most", "least"}:
        return _ends(query)
    if query.aggregate in GROUPED:
        return tuple(str(row[0]) for row in rows)
    value = rows[0][0]
    if not isinstance(value, int | float):
        return ()
    unit = "" if query.aggregate == "count" else query.columns[0].unit
    return (number_text(value, unit, has_cents=query.aggregate == "sum" and _has_cents(query)),)


def _has_cents(query: TableQuery) -> bool:
    """Return whether all numbers of a query have two decimals, as prices are written."""
    cells = (query.table.text(row, one.index) for row in query.rows for one in query.columns)
    return all(_TWO_DECIMALS.search(cell) for cell in cells if not is_missing(cell))


def _with_unit(cell: str, column: Column) -> str:
    """Return a cell that is a bare number with the unit that its head tells: not "(2024)"."""
    is_bare = cell.strip().replace(",", "").replace(".", "").isdigit()
    return _beside(cell.strip(), column.unit) if is_bare and unit_of(column.unit) else cell


def _ends(query: TableQuery) -> tuple[str, ...]:
    """Return the names of all rows, or columns, that share the most or least."""
    cells = [(row, column) for row in query.rows for column in query.columns]
    ordered = _from_the_end(query, cells)
    if not ordered:
        return ()
    values = [query.table.value(*one) for one in ordered]
    if query.count == 1:  # the second most is not the other one that has the most too
        values = list(dict.fromkeys(values))
    wanted = values[query.skipped : query.skipped + query.count]
    same = [one for one in ordered if query.table.value(*one) in wanted]
    if query.key is None:
        return tuple(dict.fromkeys(column.label for _, column in same))
    return tuple(dict.fromkeys(query.table.text(row, query.key.index) for row, _ in same))


def number_text(value: float, unit: str = "", *, has_cents: bool = False) -> str:
    """Return a number in full with its unit: "£5,990", "13.43 kn", with cents "12.90"."""
    told = f"{round(value, 2):,.2f}".removesuffix(".00")
    is_money = has_cents or bool(unit) and unit[0] in _CURRENCIES
    return _beside(told if is_money or "." not in told else told.rstrip("0"), unit)


def _beside(number: str, unit: str) -> str:
    """Return a number as it is written, with its unit: "£5,990", "12 %" as "12%", "13.43 kn"."""
    if unit and unit[0] in _CURRENCIES:
        return f"{unit[0]}{number}"
    return f"{number}{unit}" if unit == "%" else f"{number} {unit}".strip()


def _other_total(query: TableQuery) -> str:
    """Return the total that a table tells of a column, where its rows add up to something else.

    A row may be hidden, or a number of it is no number.
    """
    table = query.table
    if query.aggregate != "sum" or query.conditions or len(query.columns) != 1:
        return ""
    (column,) = query.columns
    others = [row for row in range(len(table.rows)) if row not in table.body]
    told = {row: value for row in others if isinstance(value := table.value(row, column), float)}
    values = (table.value(row, column) for row in query.rows)
    own = sum(value for value in values if isinstance(value, float))
    is_same = any(isclose(own, value, rel_tol=_SLIP) for value in told.values())
    return "" if is_same or not told else table.text(max(told), column.index)


def _reserve(question: str, written: Written) -> str:
    """Return what speaks against an answer, empty where nothing does."""
    if written.query.aggregate == "count" and (allowed := _ALLOWED.search(question)):
        return silent(allowed.group())
    if written.other is not None:
        _, answers = _asked(written.other)
        return other_text("; ".join(answers) or "nothing", f'"{written.other.table.title}"')
    if total := _other_total(written.query):
        return other_text(total, "the table's own total")
    if written.is_sure:
        return ""
    return silent(written.untold[0]) if written.untold else unstated(ASKED)
