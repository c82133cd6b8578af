"""Taking in another knowledge base: its documents, what was read in them, and their vectors."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hoptrail.core.errors import InputError
from hoptrail.core.types import Chunk, Document
from hoptrail.stores.records.copies import DECISIONS, OF_DOCUMENTS, copy_rows
from hoptrail.stores.records.document_table import PutResult, document_of, iter_chunks, put_document
from hoptrail.stores.records.embedding_table import embedder_records, published_embedder
from hoptrail.stores.records.meta_table import mark_changed
from hoptrail.stores.records.rows import (
    BATCH,
    Row,
    among,
    batches,
    columns_of,
    insertion,
    rows_among,
)
from hoptrail.stores.records.stored_text import text_hash
from hoptrail.stores.records.unpublished_table import note_derived

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
