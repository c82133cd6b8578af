"""Copies of a knowledge base: of some documents, to try something out on, into another base."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hoptrail.core.errors import InputError
from hoptrail.core.types import Chunk, Document
from hoptrail.stores.records.change_table import note_derived
from hoptrail.stores.records.database import DATABASE_NAME, Database
from hoptrail.stores.records.document_table import PutResult, document_of, iter_chunks, put_document
from hoptrail.stores.records.embedding_table import (
    embedder_records,
    forget_static,
    published_embedder,
)
from hoptrail.stores.records.schema import create_schema
from hoptrail.stores.records.stored_values import text_hash
from hoptrail.stores.records.tables import (
    BATCH,
    Row,
    among,
    batches,
    columns_of,
    has_table,
    insertion,
    mark_changed,
    read_meta,
    rows_among,
    write_meta,
)

OF_DOCUMENTS = {
    "documents": "id",
    "chunks": "doc_id",
    "extractions": "doc_id",
    "triple_lists": "doc_id",
    "document_scans": "doc_id",
}
# What was decided of names and types; it says nothing of a name that no document here has.
DECISIONS = ("merge_vetoes", "merge_verdicts", "type_labels", "embedders")
META = ("embedder_id", "edited_schema")
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
        for key in META:
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


_OF_FILES = ("sources", "file_stamps")
_DOCUMENTS = (
    "SELECT id, title, text, source, uri, metadata FROM documents WHERE id IN {} ORDER BY id"
)
_NAMED = 3  # documents that an error names


def take_in_base(source: sqlite3.Connection, target: sqlite3.Connection) -> dict[str, str]:
    """Add what another base has; the graph of all is to be derived, and to be published.

    What was decided of names and types in the target holds against what was decided in the source.

    Args:
        source: Reads the other base.
        target: Writes this one, in a transaction.

    Returns:
        "added" or "unchanged" for each document of the source, by id.

    Raises:
        InputError: If both have a document of one id with other content; then nothing is added.
    """
    outcomes = _outcomes(source, target)
    added = [id_ for id_, outcome in outcomes.items() if outcome == "added"]
    for batch in batches(added):
        for table, column in {**OF_DOCUMENTS, "former_ids": "doc_id"}.items():
            copy_rows(source, target, table, f"WHERE {among(column, batch)}", batch)
        _copy_pictures(source, target, batch)
    for table in (*_OF_FILES, *(name for name in DECISIONS if name != "embedders")):
        copy_rows(source, target, table, or_ignore=True)
    add_vectors(source, target)
    if added:
        mark_changed(target)
        note_derived(target, "")
    return outcomes


def _outcomes(source: sqlite3.Connection, target: sqlite3.Connection) -> dict[str, str]:
    contents = "SELECT id, content_hash FROM documents ORDER BY id"
    known = dict(target.execute(contents).fetchall())
    given = source.execute(contents).fetchall()
    differing = [id_ for id_, content in given if known.get(id_, content) != content]
    if differing:
        named = ", ".join(differing[:_NAMED])
        more = f" and {len(differing) - _NAMED:,} more" if len(differing) > _NAMED else ""
        raise InputError(
            f"both bases have documents of one id with different text: {named}{more}",
            hint="delete them in one of the two, or index one folder again with --source NAME, "
            "or source=NAME",
        )
    return {id_: "unchanged" if id_ in known else "added" for id_, _ in given}


def _copy_pictures(
    source: sqlite3.Connection, target: sqlite3.Connection, ids: Sequence[str]
) -> None:
    """Copy what was recognised in the pictures of some documents, and how these are shown."""
    shown = f"SELECT picture FROM document_scans WHERE {among('doc_id', ids)}"
    for table in ("scans", "scan_pictures"):
        copy_rows(source, target, table, f"WHERE picture IN ({shown})", ids, or_ignore=True)


def add_vectors(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Copy the vectors of each embedder that both know."""
    known = embedder_records(target)
    for given in embedder_records(source):
        for record in known:
            if record.is_same(given.name, given.probe):
                rows = source.execute(
                    "SELECT ?, hash, vector FROM embeddings WHERE embedder_id = ?",
                    (record.id, given.id),
                )
                while batch := rows.fetchmany(BATCH):
                    target.executemany("INSERT OR IGNORE INTO embeddings VALUES (?, ?, ?)", batch)


@dataclass
class ShardTaker:
    """Puts the records of shards into a base; a second time changes nothing.

    Attributes:
        is_by_model: Tells by the name of an extractor whether it is a chat model, whose results
            take the place of others'.
        is_replaced: Tells whether results of an extractor give way to those of a model.
        observe: Is given each document.
    """

    is_by_model: Callable[[str], bool]
    is_replaced: Callable[[str], bool]
    observe: Callable[[Document], None]
    outcomes: dict[str, PutResult] = field(default_factory=dict[str, PutResult])

    def take(self, source: sqlite3.Connection, target: sqlite3.Connection) -> None:
        """Take in what a shard has; the graph of all is to be derived, and to be published.

        Args:
            source: Reads the shard.
            target: Writes the base, in a transaction.
        """
        ids = [row[0] for row in source.execute("SELECT id FROM documents ORDER BY id")]
        for batch in batches(ids):
            chunks: dict[str, list[Chunk]] = {doc_id: [] for doc_id in batch}
            for chunk in iter_chunks(source, batch):
                chunks[chunk.doc_id].append(chunk)
            for document in map(document_of, rows_among(source, _DOCUMENTS, batch)):
                self.observe(document)
                outcome = put_document(target, document, chunks[document.id])
                self.outcomes[document.id] = outcome
            _copy_pictures(source, target, batch)
            of_documents = f"WHERE {among('doc_id', batch)}"
            copy_rows(source, target, "document_scans", of_documents, batch, or_ignore=True)
            self._take_results(source, target, batch)
        copy_rows(source, target, "scans", "", or_ignore=True)
        add_vectors(source, target)

    def _take_results(
        self, source: sqlite3.Connection, target: sqlite3.Connection, batch: Sequence[str]
    ) -> None:
        added = [doc_id for doc_id in batch if self.outcomes[doc_id] == "added"]
        copy_rows(source, target, "extractions", f"WHERE {among('doc_id', added)}", added)
        known = [doc_id for doc_id in batch if self.outcomes[doc_id] != "added"]
        names, given = _extractions(source, known)
        if not given:
            return
        chunk, extractor, result = (
            names.index(column) for column in ("chunk_id", "extractor", "result")
        )
        have: dict[object, dict[str, object]] = {}
        for row in _extractions(target, known)[1]:
            have.setdefault(row[chunk], {})[str(row[extractor])] = row[result]
        insert = insertion("extractions", names, "INSERT OR REPLACE")
        for row in given:
            others = have.get(row[chunk], {})
            name = str(row[extractor])
            if not self._is_news(name, row[result], others):
                continue
            if row[result] is not None and self.is_by_model(name):
                target.executemany(
                    "DELETE FROM extractions WHERE chunk_id = ? AND extractor = ?",
                    [(row[chunk], other) for other in others if self.is_replaced(other)],
                )
            target.execute(insert, row)
            note_derived(target, "")

    def _is_news(self, extractor: str, result: object, others: dict[str, object]) -> bool:
        """Return whether a result is to be stored beside, or in place of, what the base has."""
        if extractor in others:
            return result is not None and others[extractor] != result
        if result is None or self.is_by_model(extractor):
            return True
        return not any(known is not None for known in others.values())


def take_over_results(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Give the documents of a shard what a base has of the same text: nothing is paid for twice.

    Args:
        source: Reads the base.
        target: Writes the shard, in a transaction.
    """
    titles = "SELECT id, title FROM documents"
    known = dict(source.execute(titles))
    same = [doc_id for doc_id, title in target.execute(titles) if known.get(doc_id) == title]
    for batch in batches(same):
        chunks = list(iter_chunks(target, batch))
        own = {chunk.id for chunk in chunks}
        names, rows = _extractions(source, batch)
        place = names.index("chunk_id")
        target.executemany(
            insertion("extractions", names, "INSERT OR IGNORE"),
            [row for row in rows if row[place] in own],
        )
        _copy_vectors(source, target, [text_hash(chunk.embedded_text) for chunk in chunks])


def _copy_vectors(
    source: sqlite3.Connection, target: sqlite3.Connection, hashes: Sequence[str]
) -> None:
    given, own = published_embedder(source), published_embedder(target)
    if given is None or own is None or not own.is_same(given.name, given.probe):
        return
    for batch in batches(hashes):
        rows = source.execute(
            f"""SELECT ?, hash, vector FROM embeddings WHERE embedder_id = ?
            AND {among("hash", batch)}""",
            (own.id, given.id, *batch),
        )
        target.executemany("INSERT OR IGNORE INTO embeddings VALUES (?, ?, ?)", rows)


def _extractions(
    connection: sqlite3.Connection, doc_ids: Sequence[str]
) -> tuple[list[str], list[Row]]:
    """Return the columns of what was read in some documents, and its rows."""
    query = f"SELECT * FROM extractions WHERE {among('doc_id', doc_ids)}"
    found = connection.execute(query, doc_ids)
    return columns_of(found), found.fetchall()
