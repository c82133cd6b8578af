"""A model writes the query over tables that answers a question, and mends it once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hoptrail.agents.decision import PromptedModel
from hoptrail.agents.tables.asked import read_asked
from hoptrail.agents.tables.table_links import TableLinks
from hoptrail.core.tables.table import Column, Table
from hoptrail.core.tables.table_database import TableDatabase
from hoptrail.core.text import clipped

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
    yield ");"
    links = TableLinks(read_asked(question), table).row_links
    tests = [
        link.condition.test.replace("{}", database.column_name(table, link.condition.column))
        for link in links[:_MOST_NAMED]
    ]
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
