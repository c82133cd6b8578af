"""A copy of a knowledge base to try something out on; the original stays free for its writer."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hoptrail.stores.records.database import DATABASE_NAME, Database
from hoptrail.stores.records.embedding_table import forget_static
from hoptrail.stores.records.schema import create_schema

_LEFT_OUT = frozenset({"embeddings", "scan_pictures"})  # most of the file
_BATCH = 8192


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
    for table in sorted((_tables(source) & _tables(target)) - _LEFT_OUT):
        rows = source.execute(f"SELECT * FROM {table}")
        names = [column[0] for column in rows.description]
        values = ", ".join("?" * len(names))
        # By name: an older format has fewer columns.
        insert = f"INSERT OR REPLACE INTO {table} ({', '.join(names)}) VALUES ({values})"
        while batch := rows.fetchmany(_BATCH):
            target.executemany(insert, batch)
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
