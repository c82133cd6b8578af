"""Keeping what is left of a damaged base: documents whose text is the one that was indexed.

A document has a hash of its title and text, and the id of a passage is a hash over its place and
text, so each can be checked; where one of the two is damaged, the other brings it back.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.core.types import Chunk, Document, JsonDict
from hoptrail.stores.feedback import FEEDBACK_NAME
from hoptrail.stores.records.backup import CONVERSATIONS_NAME
from hoptrail.stores.records.copies import DECISIONS, META, OF_DOCUMENTS
from hoptrail.stores.records.damage import DamagedTable, unreadable_content
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.stores.records.document_table import chunk_columns, document_of, stored_chunk
from hoptrail.stores.records.schema import check_schema, create_schema
from hoptrail.stores.records.tables import (
    among,
    batches,
    has_table,
    insertion,
    mark_changed,
)

# Those that hold what was given, paid for or decided; the graph and what else is derived from
# these are derived anew.
_KEPT = (
    *OF_DOCUMENTS,
    *DECISIONS,
    "embeddings",
    "community_reports",
    "scans",
    "scan_pictures",
    "sources",
    "file_stamps",
    "former_ids",
)
_META = (*META, "proposed_schema", "edited_description", "proposed_description")
_OTHERS = (CONVERSATIONS_NAME, FEEDBACK_NAME)
_DOCUMENTS = "SELECT id, title, text, source, uri, metadata, content_hash FROM documents"
_INDEXED_IDS = "SELECT id FROM documents INDEXED BY sqlite_autoindex_documents_1"
_COUNT = "SELECT count(*) FROM documents"
_SET_ASIDE = "damaged-"
_HEADER = 32  # bytes, in which a database tells the size of its pages and how many there are
_LARGEST_PAGE = 65536
_MOST_FILLED = 100  # times the length of what is left: more is no length but damage


@dataclass(slots=True)
class Salvage:
    """The outcome for a damaged base.

    Attributes:
        faults: The first thing that is wrong with each file, as "file: what".
        documents: How many are kept.
        mended: Documents of which damaged text was brought back, by id.
        lost: Documents whose text cannot be known any more, by id as far as it is known.
        unread: Passages of kept documents of which what was read in them is lost.
        unreadable: Files beside the database of which nothing can be read; they begin anew.
        set_aside: Folder with the files as they were, None where nothing was changed.
    """

    faults: list[str] = field(default_factory=list[str])
    documents: int = 0
    mended: list[str] = field(default_factory=list[str])
    lost: list[str] = field(default_factory=list[str])
    unread: int = 0
    unreadable: list[str] = field(default_factory=list[str])
    set_aside: Path | None = None

    def to_json(self) -> JsonDict:
        """Return it as JSON-serialisable values."""
        return {
            **asdict(self),
            "set_aside": None if self.set_aside is None else str(self.set_aside),
        }


def examine(folder: Path) -> Salvage:
    """Tell what is wrong with a base, and how many documents it has; nothing is changed.

    It reads all of its databases.
    """
    found = Salvage()
    for name in (DATABASE_NAME, *_OTHERS):
        if not (folder / name).is_file():
            continue
        with _opened(folder / name) as connection:
            fault = _fault_of(connection, folder if name == DATABASE_NAME else None)
            if fault is not None:
                found.faults.append(f"{name}: {fault}")
            elif name == DATABASE_NAME:
                (found.documents,) = connection.execute(_COUNT).fetchone()
    return found


def _fault_of(connection: sqlite3.Connection, folder: Path | None) -> str | None:
    """Return the first fault of a file; `folder` is given for the one of the records."""
    try:
        if folder is not None:
            check_schema(connection, folder)
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            return " ".join(str(found).split())
        if folder is None:
            return None
        return unreadable_content(connection) or _changed_text(connection)
    except (sqlite3.Error, ValueError) as error:
        return str(error)


def _changed_text(connection: sqlite3.Connection) -> str | None:
    """Return which document or passage has another text than was indexed, None without one."""
    for *columns, content_hash in connection.execute(_DOCUMENTS):
        if document_of(columns).content_hash != content_hash:
            return f"the text of {columns[0]} is not the one that was indexed"
    for row in connection.execute(f"SELECT {chunk_columns(connection)} FROM chunks"):
        chunk = stored_chunk(row)
        if not chunk.is_as_made:
            return f"a passage of {chunk.doc_id} is not the one that was indexed"
    return None


def salvage(folder: Path) -> Salvage:
    """Keep what can be read of a damaged base; its graph and arrays are to be made anew.

    The files as they are go to a folder within it. Where nothing is wrong, nothing is changed.

    Args:
        folder: The base's, of which the caller holds the writer's lock.

    Raises:
        KnowledgeBaseError: If its database cannot be read at all, or there is no room.
    """
    kept = examine(folder)
    if not kept.faults:
        return kept
    damaged = [fault.partition(":")[0] for fault in kept.faults]
    with _as_one_error(folder), TemporaryDirectory(dir=folder, prefix=".hoptrail-") as work:
        made = {name: _made_anew(folder, name, Path(work), kept) for name in damaged}
        kept.set_aside = folder / f"{_SET_ASIDE}{datetime.now():%Y-%m-%d-%H%M%S}"
        kept.set_aside.mkdir()
        for name, path in made.items():
            _replace(folder, name, path, kept.set_aside)
    return kept


def _made_anew(folder: Path, name: str, work: Path, kept: Salvage) -> Path | None:
    """Make a file of what a damaged one tells; None where that is nothing and it may be missing."""
    copy, made = work / f"damaged-{name}", work / name
    for ending in ("", "-wal"):
        if (folder / f"{name}{ending}").exists():
            shutil.copyfile(folder / f"{name}{ending}", f"{copy}{ending}")
    _fill_up(copy)
    try:
        with _opened(copy, leniently=True) as source, _filled(made) as target:
            if name == DATABASE_NAME:
                _restore_schema(source)
                _keep_records(source, target, folder.resolve().name, kept)
            else:
                _keep_rows(source, target)
    except sqlite3.DatabaseError:
        if name == DATABASE_NAME:
            raise
        kept.unreadable.append(name)
        return None
    return made


def _fill_up(copy: Path) -> None:
    """Give a file that was cut the length that it tells: pages that are there can be read then."""
    with copy.open("r+b") as file:
        header = file.read(_HEADER)
        if len(header) < _HEADER:
            return
        size, pages = (int.from_bytes(header[at : at + width]) for at, width in ((16, 2), (28, 4)))
        length = (_LARGEST_PAGE if size == 1 else size) * pages
        if copy.stat().st_size < length <= _MOST_FILLED * copy.stat().st_size:
            file.truncate(length)


def _restore_schema(source: sqlite3.Connection) -> None:
    """Write how a table was made where that is damaged; its rows may be whole."""
    with closing(sqlite3.connect(":memory:")) as known:
        create_schema(known, "")
        statements = known.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        for table, statement in statements.fetchall():
            if not DamagedTable(source, table).form.columns:
                source.execute(
                    "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?",
                    (statement, table),
                )
    source.commit()
    source.execute("PRAGMA writable_schema = RESET")
    source.execute("PRAGMA writable_schema = ON")


def _replace(folder: Path, name: str, made: Path | None, set_aside: Path) -> None:
    """Put a new file in the place of a damaged one, whose log must not be played into it."""
    for path in folder.glob(f"{name}*"):
        shutil.copy2(path, set_aside / path.name)
    for path in folder.glob(f"{name}-*"):
        path.unlink()
    if made is None:
        (folder / name).unlink()
    else:
        os.replace(made, folder / name)
    if name == DATABASE_NAME:
        shutil.rmtree(folder / "cache", ignore_errors=True)


def _keep_records(
    source: sqlite3.Connection, target: sqlite3.Connection, name: str, kept: Salvage
) -> None:
    """Fill a new database with what a damaged one still tells, and say what became of it."""
    create_schema(target, name)
    whole = {table: _copy(source, target, table) for table in _KEPT if has_table(source, table)}
    _copy(source, target, "meta", _META)
    target.execute(  # vectors of an embedder that nobody knows are of no use
        """DELETE FROM meta WHERE key = 'embedder_id'
        AND value NOT IN (SELECT CAST(id AS TEXT) FROM embedders)"""
    )
    given = set(_ids_of(source, target))
    for doc_id in sorted(given):
        outcome = _mend(target, doc_id, is_whole=whole["chunks"])
        if outcome == "lost":
            kept.lost.append(doc_id)
        elif outcome == "mended":
            kept.mended.append(doc_id)
    for batch in batches(kept.lost):
        for table, column in (*OF_DOCUMENTS.items(), ("former_ids", "doc_id")):
            target.execute(f"DELETE FROM {table} WHERE {among(column, batch)}", batch)
    if kept.lost:
        target.execute("DELETE FROM file_stamps")  # so that their files are read again
    _drop_dangling(target)
    (kept.documents,) = target.execute(_COUNT).fetchone()
    if not whole["extractions"]:
        (kept.unread,) = target.execute(
            "SELECT count(*) FROM chunks WHERE id NOT IN "
            "(SELECT chunk_id FROM extractions WHERE chunk_id IS NOT NULL)"
        ).fetchone()
    mark_changed(target)


def _copy(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    table: str,
    keys: Sequence[str] | None = None,
) -> bool:
    """Copy the rows of a table that can be read, and return whether all of them can.

    Args:
        source: Reads the damaged file.
        target: Writes the new one.
        table: Name of the table in both.
        keys: The values of its first column that are copied; None for all.
    """
    read = DamagedTable(source, table)
    insert = insertion(table, read.form.columns, "INSERT OR IGNORE")
    rows = (row for row in read.rows() if keys is None or row[0] in keys)
    for batch in batches(rows):
        target.executemany(insert, batch)
    return read.is_whole


def _ids_of(source: sqlite3.Connection, target: sqlite3.Connection) -> Iterator[str]:
    """Yield the ids of documents that anything tells, some more than once."""
    for table, column in OF_DOCUMENTS.items():
        for (id_,) in target.execute(f"SELECT DISTINCT {column} FROM {table}"):
            yield id_
    try:  # the index of ids may be readable where the rows are not
        for (id_,) in source.execute(_INDEXED_IDS):
            yield str(id_)
    except sqlite3.DatabaseError:
        return


def _mend(target: sqlite3.Connection, doc_id: str, *, is_whole: bool) -> str:
    """Bring back damaged text of a document and its passages, as far as one tells the other.

    Returns:
        "sound", "mended", or "lost" where it cannot be known what was indexed.
    """
    row = target.execute(f"{_DOCUMENTS} WHERE id = ?", (doc_id,)).fetchone()
    if row is None:
        return "lost"
    *columns, content_hash = row
    document = document_of(columns)
    chunks = [
        stored_chunk(row)
        for row in target.execute(
            f"SELECT {chunk_columns(target)} FROM chunks WHERE doc_id = ? ORDER BY start", (doc_id,)
        )
    ]
    mended = _with_text(document, chunks, content_hash)
    if mended is None:
        return "lost"
    whole = [_with_slice(chunk, mended) for chunk in chunks]
    if not all(chunk.is_as_made for chunk in whole) or not (is_whole or _is_covered(mended, whole)):
        return "lost"
    if mended == document and whole == chunks and mended.content_hash == content_hash:
        return "sound"
    target.execute(
        "UPDATE documents SET title = ?, text = ?, content_hash = ? WHERE id = ?",
        (mended.title, mended.text, mended.content_hash, doc_id),
    )
    target.executemany(
        "UPDATE chunks SET title = ?, text = ? WHERE id = ?",
        [(chunk.title, chunk.text, chunk.id) for chunk in whole],
    )
    return "mended"


def _with_text(document: Document, chunks: Sequence[Chunk], content_hash: str) -> Document | None:
    """Return a document with the title and text that its hash tells, None if they are unknown."""
    sound = [chunk for chunk in chunks if chunk.is_as_made]
    text = document.text
    for chunk in sound:
        text = text[: chunk.start] + chunk.text + text[chunk.end :]
    titles = dict.fromkeys((document.title, *(chunk.title for chunk in chunks)))
    for title in titles:
        for one in (document.text, text):
            known = replace(document, title=title, text=one)
            if known.content_hash == content_hash:
                return known
    # All passages say the same as the document: it is the hash that is damaged.
    is_agreed = len(titles) == 1 and text == document.text and len(sound) == len(chunks)
    return document if is_agreed and _is_covered(document, chunks) else None


def _with_slice(chunk: Chunk, document: Document) -> Chunk:
    """Return a passage with the document's title and, where its own is damaged, its text."""
    if not chunk.is_as_made:
        chunk = replace(chunk, text=document.text[chunk.start : chunk.end])
    return replace(chunk, title=document.title)


def _is_covered(document: Document, chunks: Sequence[Chunk]) -> bool:
    """Return whether passages tell all of a document but spaces."""
    at, left_out = 0, []
    for chunk in chunks:
        left_out.append(document.text[at : chunk.start])
        at = max(at, chunk.end)
    return not "".join((*left_out, document.text[at:])).strip()


def _drop_dangling(target: sqlite3.Connection) -> None:
    """Remove rows that refer to what is not there any more."""
    while lost := target.execute("PRAGMA foreign_key_check").fetchall():
        for table, number, *_ in lost:
            target.execute(f"DELETE FROM {table} WHERE rowid = ?", (number,))


def _keep_rows(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Copy the tables of a file as far as they can be read."""
    made = source.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    for kind, name, statement in made.fetchall():
        if not str(name).startswith("sqlite_"):
            target.execute(statement)
            if kind == "table":
                _copy(source, target, name)


@contextmanager
def _opened(path: Path, *, leniently: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a file that may be damaged, to read it.

    Args:
        path: The file.
        leniently: Whether to read what is no UTF-8 as some text, and what can be read of a file
            whose schema is damaged. The file, a copy then, may be written to.
    """
    address = f"{path.absolute().as_uri()}?mode={'rw' if leniently else 'ro'}"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        if leniently:
            connection.text_factory = lambda value: value.decode(errors="replace")
            connection.execute("PRAGMA writable_schema = ON")
        yield connection


@contextmanager
def _filled(path: Path) -> Iterator[sqlite3.Connection]:
    """Make a new database, in one transaction."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        yield connection
        connection.execute("COMMIT")


@contextmanager
def _as_one_error(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise KnowledgeBaseError(
            f"{folder} cannot be repaired: {reason}",
            hint="check rights and free space; else restore a backup, or index again into a new "
            "folder",
        ) from error
