"""A model writes the query over tables that answers a question, and mends it once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hoptrail.agents.decision import PromptedModel
from hoptrail.agents.tables.asked import read_asked
from hoptrail.agents.tables.table_links import TableLinks
from hoptrail.core.tables.table import Table
from hoptrail.core.tables.table_database import TableDatabase
from hoptrail.core.text import clipped
from hoptrail.prompts.forms.tables import TableSelect

MOST_TABLES = 4
_EXAMPLES = 2  # rows of each table
_LONGEST_CELL = 40
_LONGEST_REPLY = 300  # tokens
_MOST_NAMED = 6


async def write_query(question: str, schema: str, model: PromptedModel) -> str:
    """Return the SELECT that a model writes, "" where it finds nothing to ask.

    Raises:
        ModelError: If the model cannot be reached or its reply not be read.
        BudgetExceededError: If nothing is left to spend on it.
    """
    reply = await model.structured(
        "write_sql", TableSelect, _LONGEST_REPLY, schema=schema, question=question
    )
    return _bare(reply.query)


async def mend_query(
    question: str, schema: str, model: PromptedModel, query: str, problem: str
) -> str:
    """Return another SELECT for one that failed or found nothing; raises as `write_query` does."""
    reply = await model.structured(
        "mend_sql",
        TableSelect,
        _LONGEST_REPLY,
        schema=schema,
        question=question,
        query=query,
        problem=problem,
    )
    return _bare(reply.query)


def schema_of(question: str, tables: Sequence[Table], database: TableDatabase) -> str:
    """Return tables as a model is shown them: columns, two rows, and cells that are asked about."""
    return "\n\n".join("\n".join(_lines(question, table, database)) for table in tables)


def _lines(question: str, table: Table, database: TableDatabase) -> Iterator[str]:
    told = " - ".join(dict.fromkeys(filter(None, (table.title, table.name))))
    yield f"{database.name(table)}: {clipped(told, 100)}, {len(table.body):,} rows"
    kinds = (f"{database.column_name(table, column)} {column.kind}" for column in table.columns)
    yield f"columns: {', '.join(kinds)}"
    names = [database.column_name(table, column) for column in table.columns]
    examples = database.run(
        f'SELECT {", ".join(names)} FROM "{database.name(table)}" LIMIT {_EXAMPLES}'
    )
    for row in examples.rows:
        yield f"row: {', '.join(map(_literal, row))}"
    links = TableLinks(read_asked(question), table).row_links
    tests = [
        link.condition.test.replace("{}", database.column_name(table, link.condition.column))
        for link in links[:_MOST_NAMED]
    ]
    if tests:
        yield f"named in the question: {clipped('; '.join(tests), 400)}"


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    return f"'{clipped(value, _LONGEST_CELL)}'" if isinstance(value, str) else str(value)


def _bare(text: str) -> str:
    """Return a query without the fence that models put around code, and its last semicolon."""
    lines = [line for line in text.strip().splitlines() if not line.strip().startswith("```")]
    return "\n".join(lines).strip().rstrip(";").strip()
