"""Copies of a knowledge base: of some documents, or one to try something out on."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hoptrail.stores.records.database import DATABASE_NAME, Database
from hoptrail.stores.records.embedding_table import forget_static
from hoptrail.stores.records.meta_table import mark_changed, read_meta, write_meta
from hoptrail.stores.records.rows import among, batches, columns_of, has_table, insertion
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
_ROWS = 8192

PART_OF = "part_of"
"""Key of the name of the whole base, in the file of a part of it."""
_LEFT_OUT = frozenset({"embeddings", "scan_pictures"})  # most of the file


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
            for batch in batches(doc_ids):
                copy_rows(source, target, table, f"WHERE {among(column, batch)}", batch)
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
    if not has_table(source, table):
        return
    rows = source.execute(f"SELECT * FROM {table} {condition}", values)
    insert = insertion(table, columns_of(rows), "INSERT OR IGNORE" if or_ignore else "INSERT")
    while batch := rows.fetchmany(_ROWS):
        target.executemany(insert, batch)


@contextmanager
def private_copy(database: Database, folder: Path) -> Iterator[Path]:
    """Give the folder of a copy in its present state, without vectors of texts; it is gone after.

    Args:
        database: The original.
        folder: Its folder. The arrays of what it has published are shared, not copied.
    """
    with TemporaryDirectory(prefix="hoptrail-", ignore_cleanup_errors=True) as temporary:
        place = Path(temporary, folder.resolve().name or "kb")
        place.mkdir()
        with (
            database.read(newest=True) as source,
            closing(sqlite3.connect(place / DATABASE_NAME, isolation_level=None)) as target,
        ):
            _copy_tables(source, target)
        _share_arrays(folder / "cache", place / "cache")
        yield place


def _copy_tables(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    target.execute("BEGIN")
    create_schema(target, name="")
    target.execute("DELETE FROM meta")
    for table in sorted((_tables(source) & _tables(target)) - _LEFT_OUT):
        copy_rows(source, target, table)
    forget_static(target)  # or to publish the copy would take the static model
    target.execute("COMMIT")


def _tables(connection: sqlite3.Connection) -> set[str]:
    return {
        row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }


def _share_arrays(cache: Path, shared: Path) -> None:
    """Link to the arrays; where that cannot be done, the copy builds its own."""
    try:
        shutil.copytree(cache.resolve(), shared, copy_function=os.symlink)
    except (OSError, shutil.Error):
        shutil.rmtree(shared, ignore_errors=True)
