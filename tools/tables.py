"""Tables of documents as tools: reading those of passages, and asking them one query."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from hoptrail.core.tables.table import Table, assemble_tables
from hoptrail.core.text import clipped
from hoptrail.stores.knowledge_source import KnowledgeSource

READ_TABLES = "read_tables"
_MOST_TABLES = 20
_MOST_ROWS = 200_000
_SHOWN_CELLS = 3
_LONGEST_LINE = 300


class TableArguments(BaseModel):
    """Arguments of `read_tables`."""

    chunk_ids: list[str] = Field(description="Ids of passages that tell rows of tables.")


def make_table_reader(kb: KnowledgeSource) -> BaseTool:
    """Return the tool `read_tables`; its artifact is a tuple of `Table`.

    These are all tables of the documents that the passages belong to, as wholes, in the order of
    the passages: up to 20 of them with 200,000 rows in all.
    """

    def read(chunk_ids: list[str]) -> tuple[str, tuple[Table, ...]]:
        chunks = kb.store.chunks(chunk_ids)
        doc_ids = list(dict.fromkeys(chunk.doc_id for chunk in chunks if chunk.tables))
        tables = _first(assemble_tables(kb.store.passages_of(doc_ids)), chunk_ids)
        return "\n".join(map(schema_line, tables)) or "These passages tell no rows.", tables

    return StructuredTool.from_function(
        read,
        name=READ_TABLES,
        description="Tell the tables that passages are part of: their columns with an example.",
        args_schema=TableArguments,
        response_format="content_and_artifact",
    )


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


def schema_line(table: Table) -> str:
    """Return a table's name, its columns with their kinds, and a few cells of its first row."""
    name = " - ".join(filter(None, (table.title, table.name)))
    columns = (
        f"{column.label or f'column {column.index + 1}'} ({column.kind})"
        for column in table.columns
    )
    cells = table.rows[0].row.cells[:_SHOWN_CELLS] if table.rows else ()
    line = f"{name}: {', '.join(columns)}; {len(table.body):,} rows, such as {' | '.join(cells)}"
    return clipped(line, _LONGEST_LINE)
