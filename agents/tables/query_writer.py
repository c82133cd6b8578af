"""A model writes the query over tables, and mends it once; its result is the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hoptrail.agents.decision import PromptedModel
from hoptrail.agents.language.reserves import (
    ASKED,
    other_reading,
    silent,
    unstated,
)
from hoptrail.agents.tables.asked import read_asked
from hoptrail.agents.tables.question_words import cell_groups
from hoptrail.agents.tables.table_answer import MOST_HOPS, claim_of, number_text
from hoptrail.agents.tables.table_links import TableLinks
from hoptrail.agents.verification.same_answer import are_same_answers
from hoptrail.core.tables.cell_values import is_missing
from hoptrail.core.tables.table import Column, Table
from hoptrail.core.tables.table_database import (
    QueryParts,
    TableDatabase,
    TableResult,
    read_query,
)
from hoptrail.core.text import clipped
from hoptrail.core.types.draft import Draft, HopClaim

MOST_TABLES = 4
_EXAMPLES = 2  # values of each column that has many
_FEW = 12
_LONGEST_SCHEMA = 3000  # characters
_LONGEST_VALUES = 240  # characters
_LONGEST_CELL = 40
_LONGEST_REPLY = 300  # tokens
_MOST_NAMED = 6
_FENCED = re.compile(r"```\w*\n(.*?)(?:```|\Z)", re.DOTALL)
_SELECT = re.compile(
    r"^[ \t]{0,20}(?:SELECT|WITH)\b(?:'[^']*+'|\"[^\"]*+\"|(?!\n[ \t]{0,20}\n)[^;'\"])*+",
    re.I | re.M,
)
_TYPES = {"number": "REAL", "date": "DATE", "time": "TIME", "text": "TEXT"}

_MOST_ANSWERS = 50
# A count or sum of no rows: the query looked for what is called otherwise.
_NOTHING = frozenset({0, "0", None})


async def write_query(question: str, schema: str, model: PromptedModel) -> str:
    """Return the SELECT that a model writes, "" where it finds nothing to ask.

    It replies in plain text: small models write poor SQL where its quotes are those of JSON too.

    Raises:
        ModelError: If the model cannot be reached.
        BudgetExceededError: If nothing is left to spend on it.
    """
    return await _reply(model, "write_sql", schema=schema, question=question)


async def mend_query(
    question: str, schema: str, model: PromptedModel, query: str, problem: str
) -> str:
    """Return another SELECT for one that failed or found nothing; raises as `write_query` does."""
    return await _reply(
        model, "mend_sql", schema=schema, question=question, query=query, problem=problem
    )


async def _reply(model: PromptedModel, prompt: str, **inputs: str) -> str:
    messages = model.prompts.load(prompt).render(**inputs)
    reply = await model.chat.reply(
        messages, meter=model.meter, temperature=0.0, max_tokens=_LONGEST_REPLY
    )
    return select_of(reply)


def select_of(reply: str) -> str:
    """Return the first SELECT of a reply without the text around it, "" where it says that none is.

    A reply without one is returned as it is: to be refused and told.
    """
    fenced = _FENCED.search(reply)
    told = (fenced[1] if fenced else reply).strip()
    match = _SELECT.search(told)
    if match:
        return match.group().strip()
    return "" if told[:4].upper() == "NONE" else told


def schema_of(question: str, tables: Sequence[Table], database: TableDatabase) -> str:
    """Return tables as a model is shown them: columns with values, and cells that are asked about.

    A column of texts that holds few different ones shows them all, so that the question's words
    can be told from those of the table ("grown-ups" from "Adult"). Tables are shown until the
    prompt would be long for a small model, the likeliest first.
    """
    shown: list[str] = []
    for table in tables:
        told = "\n".join(_lines(question, table, database))
        if shown and sum(map(len, shown)) + len(told) > _LONGEST_SCHEMA:
            break
        shown.append(told[:_LONGEST_SCHEMA])
    return "\n\n".join(shown)


def _lines(question: str, table: Table, database: TableDatabase) -> Iterator[str]:
    told = " - ".join(dict.fromkeys(filter(None, (table.title, table.name))))
    yield f"-- {clipped(told, 100)}, {len(table.body):,} rows"
    yield f'CREATE TABLE "{database.name(table)}" ('
    for column in table.columns:
        name = database.column_name(table, column)
        yield f"  {name} {_TYPES[column.kind]}, -- {_values(table, column, database)}"
    if section := database.section_name(table):
        told = ", ".join(_literal(one) for one in table.sections[:_FEW])
        yield f"  {section} TEXT, -- {clipped(told, _LONGEST_VALUES)}"
    yield ");"
    links = TableLinks(read_asked(question), table).row_links
    tests = [link.condition.sql(table, database) for link in links[:_MOST_NAMED]]
    if tests:
        yield f"-- named in the question: {clipped('; '.join(tests), 400)}"


def _values(table: Table, column: Column, database: TableDatabase) -> str:
    """Return the different values of a column of texts where they are few, else some."""
    name = database.column_name(table, column)
    found = database.run(f'SELECT DISTINCT {name} FROM "{database.name(table)}" LIMIT {_FEW + 2}')
    held = [value for (value,) in found.rows if value is not None]
    values = [_literal(value) for value in held]
    if column.kind != "text" or len(held) > _FEW or sum(map(len, values)) > _LONGEST_VALUES:
        values = [*values[:_EXAMPLES], *["..."] * (len(values) > _EXAMPLES)]
    return ", ".join([*values, *["NULL"] * (len(held) < len(found.rows))])


def _literal(value: object) -> str:
    return f"'{clipped(value, _LONGEST_CELL)}'" if isinstance(value, str) else f"{value:.12g}"


def draft_from_result(question: str, result: TableResult, database: TableDatabase) -> Draft:
    """Return the first column of a result as the answer; nothing in it, or 0, is an abstention.

    So is a value that the query itself looks for, unless it is one of several to choose from. Its
    hops are the cells, of the rows that the query read, under the columns that it names. Where a
    word of the question is in no name, value or title of these tables, it is given with reserve.

    Args:
        question: The standalone question.
        result: The rows.
        database: Where the query was run.
    """
    parts = read_query(result.query)
    asked = read_asked(question)
    rows_behind = database.rows_behind(result.query)
    behind = {table: rows for table in database.tables if (rows := rows_behind.get(table.id))}
    cells = _cells(result, parts.answer, behind, database) if not parts.is_computed else []
    is_test = parts.is_test and asked.value.answer_type == "yes_no"
    values = [row[0] for row in result.rows if row and row[0] is not None]
    if is_test:
        answers = ["yes" if value else "no" for value in values]
    else:
        unit = _unit(parts.measured, behind, database)
        shown = cells or [_told(one, unit, asked.operation == "difference") for one in values]
        answers = [one for one in shown if not is_missing(one)]
    told = tuple(dict.fromkeys(answers))[:_MOST_ANSWERS]
    is_asked = len(told) == 1 and told[0] in parts.values and not _chooses(parts, behind, database)
    is_zero = parts.is_computed and not is_test and {row[0] for row in result.rows} <= _NOTHING
    if not told or is_asked or is_zero:
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


def joined(
    by_template: Draft | None, written: Draft, found: Sequence[str] = ()
) -> tuple[Draft, bool]:
    """Return what a template's query and a small model's give together, and whether that is enough.

    A model's query that leaves out no word of the question settles a doubt about the wording where
    it finds the same, and is taken instead of what was found otherwise; alone it is not sure. One
    that leaves a word out makes the mistakes of a template, and more of them: alone it is not
    enough.

    Args:
        by_template: None where no template fits; else with reserve.
        written: Of the model's query.
        found: The answer of another search, where there is one.
    """
    is_whole = not (written.abstained or written.reserve)
    if by_template is None or by_template.abstained:
        is_same = bool(found) and are_same_answers(found, written.answers)
        reserve = written.reserve or unstated(ASKED)
        doubted = replace(written, reserve=reserve, is_confirmed=is_same and is_whole)
        return doubted, is_same or is_whole
    if are_same_answers(by_template.answers, written.answers):
        return replace(by_template, is_confirmed=is_whole), True
    if not is_whole:
        return by_template, True
    return replace(written, reserve=other_reading(by_template.text)), True


def _chooses(
    parts: QueryParts, behind: Mapping[Table, tuple[int, ...]], database: TableDatabase
) -> bool:
    """Return whether the query names several cells of the column that it shows."""
    texts = {
        table.text(row, column.index)
        for table in behind
        for column in table.columns
        if database.bare_column_name(table, column).casefold() == parts.answer
        for row in table.body
    }
    return len(texts & set(parts.values)) > 1


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


def _unit(measured: frozenset[str], tables: Iterable[Table], database: TableDatabase) -> str:
    """Return the unit of the numbers that a result is made of, "" where they have several."""
    units = {
        column.unit
        for table in tables
        for column in table.columns
        if column.unit and database.bare_column_name(table, column).casefold() in measured
    }
    return units.pop() if len(units) == 1 else ""


def _told(value: object, unit: str, asks_difference: bool) -> str:
    if not isinstance(value, int | float):
        return str(value)
    return number_text(abs(float(value)) if asks_difference else float(value), unit)


def _reserve(question: str, named: dict[Table, list[Column]], values: Sequence[str]) -> str:
    """Return which word of the question the query leaves out, empty where it has them all."""
    asked = read_asked(question)
    told = asked.told | asked.span_told | asked.bounds_told
    groups = cell_groups(" ".join(values))
    for table, columns in named.items():
        links = TableLinks(asked, table)
        told |= links.context_told | links.told_by_heads(columns)
        groups |= cell_groups(table.key.label)
    rest = asked.words.rest(told | asked.words.told_by(groups))
    return silent(asked.words.words[min(rest)].text) if rest else ""
