"""Tables of documents as tools: reading those of passages, and asking them one query."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from hoptrail.core.tables.table import Table, assemble_tables
from hoptrail.core.tables.table_database import TableDatabase, TableResult, table_names
from hoptrail.core.text import clipped
from hoptrail.stores.knowledge_source import KnowledgeSource

READ_TABLES = "read_tables"
QUERY_TABLES = "query_tables"
_MOST_SHOWN_ROWS = 40
_MOST_TABLES = 20
_MOST_ROWS = 200_000
_SHOWN_CELLS = 3
_LONGEST_LINE = 300


class TableArguments(BaseModel):
    """Arguments of `read_tables`."""

    chunk_ids: list[str] = Field(description="Ids of passages that tell rows of tables.")


class TableQueryArguments(BaseModel):
    """Arguments of `query_tables`."""

    sql: str = Field(description="One SQLite SELECT; columns in double quotes.")
    chunk_ids: list[str] = Field(description="Ids of the passages that were given to read_tables.")


def make_table_reader(kb: KnowledgeSource) -> BaseTool:
    """Return the tool `read_tables`; its artifact is a tuple of `Table`.

    These are all tables of the documents that the passages belong to, as wholes, in the order of
    the passages: up to 20 of them with 200,000 rows in all.
    """

    def read(chunk_ids: list[str]) -> tuple[str, tuple[Table, ...]]:
        tables = tables_of_passages(kb, chunk_ids)
        names = table_names(tables)
        lines = [schema_line(table, names[table.id]) for table in tables]
        return "\n".join(lines) or "These passages tell no rows.", tables

    return StructuredTool.from_function(
        read,
        name=READ_TABLES,
        description="Tell the tables that passages are part of: their columns with an example.",
        args_schema=TableArguments,
        response_format="content_and_artifact",
    )


def make_table_query(kb: KnowledgeSource) -> BaseTool:
    """Return the tool `query_tables`; its artifact is a `TableResult`.

    The query is one SELECT over the tables that `read_tables` tells of the same passages.
    """

    def query(sql: str, chunk_ids: list[str]) -> tuple[str, TableResult]:
        with closing(TableDatabase(tables_of_passages(kb, chunk_ids))) as database:
            result = database.run(sql)
        lines = [" | ".join(result.columns)]
        lines += [" | ".join(map(_told, row)) for row in result.rows[:_MOST_SHOWN_ROWS]]
        if result.has_more or len(result.rows) > _MOST_SHOWN_ROWS:
            lines.append("(there are more rows)")
        return "\n".join(clipped(line, _LONGEST_LINE) for line in lines), result

    return StructuredTool.from_function(
        query,
        name=QUERY_TABLES,
        description="Ask tables one SQLite SELECT: sums, counts, the most, joins. read_tables "
        "tells their names and columns.",
        args_schema=TableQueryArguments,
        response_format="content_and_artifact",
    )


def _told(value: object) -> str:
    return "" if value is None else str(value)


def tables_of_passages(kb: KnowledgeSource, chunk_ids: Sequence[str]) -> tuple[Table, ...]:
    """Return the tables of the documents that passages belong to, in the order of the passages."""
    chunks = kb.store.chunks(chunk_ids)
    doc_ids = list(dict.fromkeys(chunk.doc_id for chunk in chunks if chunk.tables))
    return _first(assemble_tables(kb.store.passages_of(doc_ids)), chunk_ids)


def _first(tables: Sequence[Table], chunk_ids: Sequence[str]) -> tuple[Table, ...]:
    """Return the tables whose passages come first, as many as the limits allow."""
    place = {chunk_id: at for at, chunk_id in enumerate(chunk_ids)}
    last = len(place)

    def rank(table: Table) -> int:
        return min((place.get(row.chunk_id, last) for row in table.rows), default=last)

    kept: list[Table] = []
    rows = 0
    for table in sorted(tables, key=rank)[:_MOST_TABLES]:
        rows += len(table.rows)
        if rows <= _MOST_ROWS:
            kept.append(table)
    return tuple(kept)


def schema_line(table: Table, name: str) -> str:
    """Return a table's name, its columns with their kinds, and a few cells of its first row."""
    columns = (
        f"{column.label or f'column {column.index + 1}'} ({column.kind})"
        for column in table.columns
    )
    cells = table.rows[0].row.cells[:_SHOWN_CELLS] if table.rows else ()
    line = f"{name}: {', '.join(columns)}; {len(table.body):,} rows, such as {' | '.join(cells)}"
    return clipped(line, _LONGEST_LINE)
