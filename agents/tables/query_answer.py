"""The answer that the result of a model's query gives, with the rows that it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hoptrail.agents.language.reserves import ASKED, silent, unstated
from hoptrail.agents.tables.asked import read_asked
from hoptrail.agents.tables.question_words import cell_groups
from hoptrail.agents.tables.table_answer import MOST_HOPS, claim_of, number_text
from hoptrail.agents.tables.table_links import TableLinks
from hoptrail.core.tables.table import Column, Table
from hoptrail.core.tables.table_database import TableDatabase, TableResult, read_query
from hoptrail.core.types.draft import Draft, HopClaim

_MOST_ANSWERS = 50
_NOTHING = ("0",)  # a count or sum of no rows: the query looked for what is called otherwise


def draft_from_result(question: str, result: TableResult, database: TableDatabase) -> Draft:
    """Return the first column of a result as the answer; nothing in it, or 0, is an abstention.

    Its hops are the cells, of the rows that the query read, under the columns that it names. Where
    a word of the question is in no name, value or title of these tables, it is given with reserve.

    Args:
        question: The standalone question.
        result: The rows.
        database: Where the query was run.
    """
    parts = read_query(result.query)
    behind = {
        table: rows
        for table in database.tables
        if (rows := database.rows_behind(result.query).get(table.id))
    }
    cells = _cells(result, parts.answer, behind, database) if not parts.is_computed else []
    answers = cells or [_told(row[0]) for row in result.rows if row and row[0] is not None]
    told = tuple(dict.fromkeys(filter(None, answers)))[:_MOST_ANSWERS]
    if not told or (parts.is_computed and told == _NOTHING):
        return Draft("tables", reason="no_evidence", raw=result.query)
    named = {
        table: [
            column
            for column in table.columns
            if database.bare_column_name(table, column).casefold() in parts.columns
        ]
        for table in behind
    }
    hops = tuple(_claims(behind, named))[:MOST_HOPS]
    return Draft(
        "tables",
        told,
        hops=hops,
        derived=not cells,
        raw=result.query,
        reserve=_reserve(question, named, parts.values) if hops else unstated(ASKED),
    )


def _cells(
    result: TableResult,
    answer: str,
    behind: dict[Table, tuple[int, ...]],
    database: TableDatabase,
) -> list[str]:
    """Return the cells of the answer's column as they are written, where each row is one of it."""
    for table, rows in behind.items():
        for column in table.columns:
            if database.bare_column_name(table, column).casefold() == answer:
                texts = [table.text(row, column.index) for row in rows]
                if len(rows) == len(result.rows) or len(set(texts)) == 1:
                    return texts
    return []


def _claims(
    behind: dict[Table, tuple[int, ...]], named: dict[Table, list[Column]]
) -> Iterator[HopClaim]:
    for table, rows in behind.items():
        columns = [column for column in named[table] if column != table.key] or named[table]
        for row in rows:
            for column in columns or [table.key]:
                if table.text(row, column.index):
                    yield claim_of(table, row, column)


def _told(value: object) -> str:
    return number_text(float(value)) if isinstance(value, int | float) else str(value)


def _reserve(question: str, named: dict[Table, list[Column]], values: Sequence[str]) -> str:
    """Return which word of the question the query leaves out, empty where it has them all."""
    asked = read_asked(question)
    told = asked.told | asked.span_told
    told |= frozenset(at for bound in asked.bounds for at in bound.told)
    groups = cell_groups(" ".join(values))
    for table, columns in named.items():
        links = TableLinks(asked, table)
        told |= links.context_told
        told |= frozenset(at for column in columns for at in links.label_told[column.index])
        groups |= cell_groups(table.key.label)
    rest = asked.words.rest(told | asked.words.told_by(groups))
    return silent(asked.words.words[min(rest)].text) if rest else ""
