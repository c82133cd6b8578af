"""Taking in another knowledge base: its documents, what was read in them, and their vectors."""

from __future__ import annotations

import sqlite3

from hoptrail.core.errors import InputError
from hoptrail.stores.records.embedding_table import embedder_records
from hoptrail.stores.records.filtered_copy import DECISIONS, OF_DOCUMENTS, copy_rows
from hoptrail.stores.records.meta_table import mark_changed
from hoptrail.stores.records.unpublished_table import note_derived

_OF_FILES = ("sources", "file_stamps")
_BATCH = 500  # bound variables per statement; old SQLite builds allow 999
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
    for first in range(0, len(added), _BATCH):
        batch = added[first : first + _BATCH]
        for table, column in {**OF_DOCUMENTS, "former_ids": "doc_id"}.items():
            among = f"WHERE {column} IN ({','.join('?' * len(batch))})"
            copy_rows(source, target, table, among, batch)
        pictures = f"""WHERE picture IN (SELECT picture FROM document_scans
            WHERE doc_id IN ({",".join("?" * len(batch))}))"""
        for table in ("scans", "scan_pictures"):
            copy_rows(source, target, table, pictures, batch, or_ignore=True)
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
                while batch := rows.fetchmany(_BATCH):
                    target.executemany("INSERT OR IGNORE INTO embeddings VALUES (?, ?, ?)", batch)
