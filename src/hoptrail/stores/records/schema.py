"""The tables of a knowledge base file, and how a file is recognised as one.

Documents, chunks, extractions and lists of triples are the truth. Entities, relations, merges and
communities are derived from them and may be replaced at any time; embeddings are addressed by the
hash of their text, reports by the hash of what they tell about. What documents said in the
published generation stands in `replaced_*` until the next one is published; what the graph has of
them, in `replaced_extractions` until it is derived from what they say now. `chunk_ids` holds ids
joined by a space: an item is read with one look-up. `sources` holds the root of each source, and
`file_stamps` what tells the version of a file that was read as a whole; both have paths as file://.
`scans` holds what was recognised in pictures, by their hash, `scan_pictures` how they are shown,
`document_scans` where each document shows its words; chunks list those that are `unsure`.
`unpublished` lists what is new since the last generation (`change_table`). `told` holds the
descriptions of relations (`stored_values`).
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np

from hoptrail.core.errors import FormatVersionError, NotAKnowledgeBaseError
from hoptrail.stores.records.stored_values import put_told, stored_description, stored_rows
from hoptrail.stores.records.tables import has_table

FORMAT_VERSION = 11
ADDED_CHUNK_COLUMNS = ("places", "tables", "unsure", "section")
COLUMNS_FORMAT = 10  # has them; the one released before it is 3
_BATCH = 4096
_APPLICATION_ID = 0x486F7054  # "HopT", in the file's header

_TRIPLE_LISTS = """CREATE TABLE IF NOT EXISTS triple_lists (
    doc_id TEXT PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    digest TEXT NOT NULL, nodes BLOB NOT NULL, predicates BLOB NOT NULL, triples BLOB NOT NULL
)"""  # new in format 2
_FORMAT_3 = """
CREATE TABLE IF NOT EXISTS communities (
    id TEXT PRIMARY KEY, level INTEGER NOT NULL, parent TEXT, size INTEGER NOT NULL,
    key TEXT NOT NULL, stale INTEGER NOT NULL, members BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS communities_by_parent ON communities (parent);

CREATE TABLE IF NOT EXISTS community_reports (
    key TEXT PRIMARY KEY, maker TEXT NOT NULL,
    title TEXT NOT NULL, summary TEXT NOT NULL,
    rating REAL NOT NULL, rating_reason TEXT NOT NULL, findings TEXT NOT NULL,
    llm_calls INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL, seconds REAL NOT NULL, usd REAL NOT NULL
);

CREATE TABLE IF NOT EXISTS merge_verdicts (
    id TEXT PRIMARY KEY, kept TEXT NOT NULL, merged TEXT NOT NULL, is_same INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS type_labels (type TEXT PRIMARY KEY, label TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS clustering (part TEXT PRIMARY KEY, value BLOB NOT NULL);
"""  # new in format 3
_FORMAT_4 = """
CREATE TABLE IF NOT EXISTS replaced_documents (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, source TEXT NOT NULL,
    uri TEXT, metadata TEXT NOT NULL, content_hash TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS replaced_chunks (
    id TEXT PRIMARY KEY, doc_id TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL,
    start INTEGER NOT NULL, end INTEGER NOT NULL, tokens INTEGER NOT NULL, places TEXT,
    tables TEXT, unsure TEXT, section TEXT
);
"""  # new in format 4, but for the columns since then
_FORMAT_7 = """
CREATE TABLE IF NOT EXISTS sources (
    name TEXT PRIMARY KEY, root TEXT NOT NULL, is_folder INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS file_stamps (
    path TEXT PRIMARY KEY, stamp TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS former_ids (
    id TEXT PRIMARY KEY, doc_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE
);
"""  # new in format 7
_FORMAT_8 = """
CREATE TABLE IF NOT EXISTS unpublished (
    kind TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS failed_extractions
    ON extractions (doc_id, ifnull(chunk_id, ''), extractor) WHERE result IS NULL;
"""  # new in format 8
_FORMAT_9_SCANS = """
CREATE TABLE IF NOT EXISTS scans (
    picture TEXT PRIMARY KEY, recogniser TEXT NOT NULL, page BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS scan_pictures (
    picture TEXT PRIMARY KEY REFERENCES scans (picture) ON DELETE CASCADE, shown BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS document_scans (
    doc_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    number INTEGER NOT NULL, place TEXT NOT NULL, picture TEXT NOT NULL,
    width INTEGER NOT NULL, height INTEGER NOT NULL, words BLOB NOT NULL,
    PRIMARY KEY (doc_id, number)
);
CREATE INDEX IF NOT EXISTS document_scans_by_picture ON document_scans (picture);
"""  # new in format 9
_FORMAT_11 = """
CREATE TABLE IF NOT EXISTS replaced_extractions (
    doc_id TEXT NOT NULL, chunk_id TEXT, extractor TEXT NOT NULL, result TEXT NOT NULL
);
"""  # new in format 11
EMBEDDING_TABLES = """
CREATE TABLE IF NOT EXISTS embedders (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, dim INTEGER NOT NULL, probe BLOB NOT NULL
);

CREATE TABLE IF NOT EXISTS embeddings (
    embedder_id INTEGER NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
    hash TEXT NOT NULL, vector BLOB NOT NULL,
    UNIQUE (embedder_id, hash)
);
"""
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE documents (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, source TEXT NOT NULL,
    uri TEXT, metadata TEXT NOT NULL, content_hash TEXT NOT NULL
);

CREATE TABLE chunks (
    id TEXT PRIMARY KEY,
    doc_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    title TEXT NOT NULL, text TEXT NOT NULL,
    start INTEGER NOT NULL, end INTEGER NOT NULL, tokens INTEGER NOT NULL, places TEXT,
    tables TEXT, unsure TEXT, section TEXT
);
CREATE INDEX chunks_by_document ON chunks (doc_id, start);

CREATE TABLE extractions (
    doc_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    chunk_id TEXT REFERENCES chunks (id) ON DELETE CASCADE,
    extractor TEXT NOT NULL, result TEXT, error TEXT,
    llm_calls INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL, seconds REAL NOT NULL, usd REAL NOT NULL
);
CREATE UNIQUE INDEX extractions_by_place
    ON extractions (doc_id, ifnull(chunk_id, ''), extractor);
CREATE INDEX extractions_by_chunk ON extractions (chunk_id);

CREATE TABLE entities (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, description TEXT NOT NULL,
    chunk_ids TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE entity_names (
    entity_id TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL,
    PRIMARY KEY (entity_id, position)
) WITHOUT ROWID;
CREATE INDEX entity_names_by_key ON entity_names (key, entity_id);

CREATE TABLE relations (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, predicate TEXT NOT NULL, target TEXT NOT NULL,
    description NOT NULL, weight REAL NOT NULL, chunk_ids TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE told (id INTEGER PRIMARY KEY, text TEXT NOT NULL);

CREATE TABLE merges (
    id TEXT PRIMARY KEY, entity_id TEXT NOT NULL,
    kept TEXT NOT NULL, merged TEXT NOT NULL, reason TEXT NOT NULL
);
CREATE TABLE merge_vetoes (id TEXT PRIMARY KEY, kept TEXT NOT NULL, merged TEXT NOT NULL);
"""
_ADDED_TABLES = (
    _TRIPLE_LISTS,
    _FORMAT_3,
    _FORMAT_4,
    _FORMAT_7,
    _FORMAT_8,
    _FORMAT_9_SCANS,
    _FORMAT_11,
)
_UP_TO_FORMAT_4 = "DROP TABLE IF EXISTS chunk_graph"  # a graph of similar passages, never read


def create_schema(connection: sqlite3.Connection, name: str) -> None:
    """Create the tables of a knowledge base of this name; the caller commits."""
    tables = (_TABLES, EMBEDDING_TABLES, *_ADDED_TABLES)
    for statement in ";".join(tables).split(";"):
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('name', ?)", (name,))
    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")


def upgrade_schema(connection: sqlite3.Connection) -> None:
    """Give a base of an older format what it lacks, and take what is no longer used."""
    tables = (*_ADDED_TABLES, _UP_TO_FORMAT_4)
    for statement in ";".join(tables).split(";"):
        connection.execute(statement)
    for table in ("chunks", "replaced_chunks"):
        columns = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        for column in ADDED_CHUNK_COLUMNS:
            if column not in columns:
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} TEXT")
    _pack_graph(connection)
    _pack_vectors(connection)
    connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")


def _pack_graph(connection: sqlite3.Connection) -> None:
    """Give the tables of the graph the form of format 11: no rows of their own, texts once."""
    if has_table(connection, "told"):
        return
    connection.create_function("stored_description", 1, stored_description, deterministic=True)
    made: dict[str, str] = {
        statement.split()[2]: statement
        for statement in _TABLES.split(";")
        if statement.strip().startswith("CREATE TABLE")
    }
    connection.execute(made["told"])
    texts = connection.execute("SELECT DISTINCT description FROM relations").fetchall()
    put_told(connection, (text for (text,) in texts))
    for table, values in (
        ("entities", "id, name, type, description, chunk_ids"),
        (
            "relations",
            "id, source, predicate, target, stored_description(description), weight, chunk_ids",
        ),
    ):
        # They note changes for servers, and go with the table.
        triggers = connection.execute(
            "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?", (table,)
        ).fetchall()
        connection.execute(made[table].replace(f"TABLE {table}", f"TABLE new_{table}"))
        connection.execute(f"INSERT INTO new_{table} SELECT {values} FROM {table} ORDER BY id")
        connection.execute(f"DROP TABLE {table}")
        connection.execute(f"ALTER TABLE new_{table} RENAME TO {table}")
        for (trigger,) in triggers:
            connection.execute(trigger)


def _pack_vectors(connection: sqlite3.Connection) -> None:
    """Store the embedder's vectors in half of their bytes, as format 11 does."""
    for embedder_id, dim in connection.execute("SELECT id, dim FROM embedders").fetchall():
        last = -1
        # The plus keeps SQLite from going through the index, and so from sorting all each time.
        while rows := connection.execute(
            """SELECT rowid, vector FROM embeddings WHERE rowid > ? AND +embedder_id = ?
            AND length(vector) = ? ORDER BY rowid LIMIT ?""",
            (last, embedder_id, 4 * dim, _BATCH),
        ).fetchall():
            last = rows[-1][0]
            vectors = np.frombuffer(b"".join(row[1] for row in rows), "<f4").reshape(-1, dim)
            connection.executemany(
                "UPDATE embeddings SET vector = ? WHERE rowid = ?",
                zip(stored_rows(vectors), (row[0] for row in rows), strict=True),
            )


def format_of(connection: sqlite3.Connection) -> int:
    """Return the format of a base, which may be an older one that is open for reading."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def is_blank(connection: sqlite3.Connection) -> bool:
    """Return whether the database has no table: its content was lost."""
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def check_schema(connection: sqlite3.Connection, folder: Path) -> int:
    """Return the format of a knowledge base that this version can read.

    Raises:
        NotAKnowledgeBaseError: If the file is another program's, or was never filled.
        FormatVersionError: If a newer version of Hoptrail wrote it.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != _APPLICATION_ID:
        raise not_a_knowledge_base(folder, "its database is not one of Hoptrail's")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > FORMAT_VERSION:
        raise FormatVersionError(
            f"{folder} has format {version}, this Hoptrail reads up to {FORMAT_VERSION}",
            hint="upgrade with: pip install -U hoptrail",
        )
    return int(version)


def not_a_knowledge_base(folder: Path, why: str) -> NotAKnowledgeBaseError:
    """Return the error for a path that holds no knowledge base."""
    return NotAKnowledgeBaseError(
        f"{folder} is not a knowledge base: {why}",
        hint=f"create one with: hoptrail index PATH... --kb {folder}, or in Python with "
        "Hoptrail.open(..., create=True)",
    )
