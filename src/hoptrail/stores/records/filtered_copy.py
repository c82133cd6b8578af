"""A knowledge base of some of another's documents: their rows alone, nothing derived."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.stores.records.meta_table import mark_changed, read_meta, write_meta
from hoptrail.stores.records.schema import create_schema

OF_DOCUMENTS = {
    "documents": "id",
    "chunks": "doc_id",
    "extractions": "doc_id",
    "triple_lists": "doc_id",
    "document_scans": "doc_id",
}
# What was decided of names and types; it says nothing of a name that no document here has.
DECISIONS = ("merge_vetoes", "merge_verdicts", "type_labels", "embedders")
_META = ("embedder_id", "edited_schema")
_BATCH = 500  # bound variables per statement; old SQLite builds allow 999
_ROWS = 8192

PART_OF = "part_of"
"""Key of the name of the whole base, in the file of a part of it."""


def write_filtered_copy(
    source: sqlite3.Connection, folder: Path, doc_ids: Sequence[str], name: str
) -> None:
    """Write the file of a knowledge base with these documents into an empty folder.

    It has what was read in them and what was decided of the whole base's entities, but no graph,
    no communities and no vectors: these are derived from it.

    Args:
        source: Reads the whole base.
        folder: An empty folder.
        doc_ids: Documents that it holds.
        name: Name of the whole base, which its part has too.
    """
    with closing(sqlite3.connect(folder / DATABASE_NAME, isolation_level=None)) as target:
        target.execute("BEGIN")
        create_schema(target, name)
        write_meta(target, PART_OF, name)
        for table, column in OF_DOCUMENTS.items():
            for first in range(0, len(doc_ids), _BATCH):
                batch = doc_ids[first : first + _BATCH]
                among = f"WHERE {column} IN ({','.join('?' * len(batch))})"
                copy_rows(source, target, table, among, batch)
        for table in DECISIONS:
            copy_rows(source, target, table)
        for key in _META:
            value = read_meta(source, key)
            if value is not None:
                write_meta(target, key, value)
        mark_changed(target)
        target.execute("COMMIT")


def copy_rows(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    table: str,
    condition: str = "",
    values: Sequence[str] = (),
    *,
    or_ignore: bool = False,
) -> None:
    """Copy rows of a table by the names of their columns, of which an older format has fewer.

    Args:
        source: Where they stand; a table that an older format lacks has none.
        target: Where they go.
        table: Its name in both.
        condition: A WHERE clause.
        values: What is bound in it.
        or_ignore: Whether rows that the target has keep their values; else they are an error.
    """
    there = source.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    if there is None:
        return
    rows = source.execute(f"SELECT * FROM {table} {condition}", values)
    names = [column[0] for column in rows.description]
    insert = "INSERT OR IGNORE" if or_ignore else "INSERT"
    insert += f" INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    while batch := rows.fetchmany(_ROWS):
        target.executemany(insert, batch)
