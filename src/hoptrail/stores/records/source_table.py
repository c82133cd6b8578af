"""Where documents come from: the root of each source, the files they were read from, former ids."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import starmap
from typing import NamedTuple
from urllib.parse import quote, unquote

from hoptrail.core.types import Record
from hoptrail.stores.records.tables import has_table

_FILE = "file://"
Row = tuple[str, ...]

_ORIGINS = "SELECT id, uri, source FROM documents"


@dataclass(frozen=True, slots=True)
class SourceRoot(Record):
    """Where the files of a source lie.

    `root` is an absolute path. `is_folder` tells a folder that was named itself, with all that is
    in it, from the folder around single files and from a corpus file.
    """

    name: str
    root: str
    is_folder: bool


class Origin(NamedTuple):
    """The file or address that a document was read from; up to format 6 a path as it was typed."""

    doc_id: str
    uri: str
    source: str

    @property
    def path(self) -> str | None:
        """The absolute path of the file, None where it is no file or its place is not known."""
        return path_of(self.uri) if self.uri.startswith(_FILE) else None


def file_uri(path: str) -> str:
    """Return the address of a file by its absolute path, which need not be UTF-8."""
    return f"{_FILE}{quote(path.replace(os.sep, '/'), errors='surrogateescape')}"


@lru_cache(maxsize=4096)  # all documents of a corpus have one file
def path_of(uri: str) -> str:
    """Return the path of a file by its address."""
    return unquote(uri.removeprefix(_FILE), errors="surrogateescape").replace("/", os.sep)


def source_roots(connection: sqlite3.Connection) -> dict[str, SourceRoot]:
    """Return the root of each source that has one, by name."""
    rows = _rows(connection, "sources", "SELECT name, root, is_folder FROM sources ORDER BY name")
    return {
        name: SourceRoot(name, path_of(root), bool(is_folder)) for name, root, is_folder in rows
    }


def put_source_roots(connection: sqlite3.Connection, roots: Iterable[SourceRoot]) -> None:
    """Record roots in place of those that the sources had."""
    connection.executemany(
        "INSERT OR REPLACE INTO sources VALUES (?, ?, ?)",
        [(one.name, file_uri(one.root), int(one.is_folder)) for one in roots],
    )


def move_root(connection: sqlite3.Connection, old: str, new: str) -> None:
    """Note that a folder, an absolute path, lies elsewhere now with all its files."""
    for table, column in (("documents", "uri"), ("sources", "root"), ("file_stamps", "path")):
        connection.execute(
            f"""UPDATE OR REPLACE {table} SET {column} = ?2 || substr({column}, length(?1) + 1)
            WHERE {column} = ?1 OR substr({column}, 1, length(?1) + 1) = ?1 || '/'""",
            (file_uri(old), file_uri(new)),
        )


def forget_unused(connection: sqlite3.Connection) -> None:
    """Forget the roots of sources that have no documents any more."""
    connection.execute(
        """DELETE FROM sources WHERE NOT EXISTS (
        SELECT 1 FROM documents WHERE id >= name || '/' AND id < name || '0')"""
    )


def origins(connection: sqlite3.Connection) -> list[Origin]:
    """Return where each document comes from that was read from somewhere, by id."""
    rows = connection.execute(f"{_ORIGINS} WHERE uri IS NOT NULL ORDER BY id")
    return list(starmap(Origin, rows))


def origins_elsewhere(connection: sqlite3.Connection) -> list[Origin]:
    """Return where each document comes from that was read from no file of a known place, by id."""
    rows = connection.execute(f"{_ORIGINS} WHERE uri NOT LIKE 'file://%' ORDER BY id")
    return list(starmap(Origin, rows))


def origins_of(connection: sqlite3.Connection, ids: Iterable[str]) -> list[Origin]:
    """Return where those of these documents come from that were read from somewhere, by id."""
    query = f"{_ORIGINS} WHERE id = ? AND uri IS NOT NULL"
    rows = (row for id_ in sorted(set(ids)) for row in connection.execute(query, (id_,)))
    return list(starmap(Origin, rows))


def documents_of(connection: sqlite3.Connection, source: str) -> list[str]:
    """Return the ids of the documents of a source."""
    rows = connection.execute("SELECT id FROM documents WHERE source = ? ORDER BY id", (source,))
    return [row[0] for row in rows]


def file_stamps(connection: sqlite3.Connection) -> dict[str, str]:
    """Return by path or address what told the version of each file that was read as a whole."""
    rows = _rows(connection, "file_stamps", "SELECT path, stamp FROM file_stamps")
    return {path_of(uri) if uri.startswith(_FILE) else uri: stamp for uri, stamp in rows}


def put_file_stamps(connection: sqlite3.Connection, stamps: Mapping[str, str]) -> None:
    """Record the versions of files, by path or address."""
    connection.executemany(
        "INSERT OR REPLACE INTO file_stamps VALUES (?, ?)",
        [(path if "://" in path else file_uri(path), stamp) for path, stamp in stamps.items()],
    )


def missing_documents(connection: sqlite3.Connection, ids: Iterable[str]) -> set[str]:
    """Return which of these ids belong to no document, not even as the id that it once had."""
    wanted = set(ids)
    for query in ("SELECT 1 FROM documents WHERE id = ?", "SELECT 1 FROM former_ids WHERE id = ?"):
        table = query.split()[3]
        wanted -= {id_ for id_ in wanted if any(_rows(connection, table, query, (id_,)))}
    return wanted


def current_hashes(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, str]:
    """Return the content hash by id of those documents that are there, maybe under a newer id."""
    queries = {
        "documents": "SELECT content_hash FROM documents WHERE id = ?",
        "former_ids": "SELECT content_hash FROM documents JOIN former_ids"
        " ON documents.id = former_ids.doc_id WHERE former_ids.id = ?",
    }
    found: dict[str, str] = {}
    for table, query in queries.items():
        for id_ in ids:
            rows = [] if id_ in found else _rows(connection, table, query, (id_,))
            found.update((id_, row[0]) for row in rows)
    return found


def _rows(
    connection: sqlite3.Connection, table: str, query: str, values: Sequence[str] = ()
) -> list[Row]:
    """Return the rows of a query; none in a base of a format that lacks the table."""
    return connection.execute(query, values).fetchall() if has_table(connection, table) else []
