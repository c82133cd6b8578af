"""Documents and their chunks: put, delete, list."""

from __future__ import annotations

import difflib
import json
import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from hoptrail.core.errors import KnowledgeBaseError, UnknownNameError
from hoptrail.core.types import Chunk, Document
from hoptrail.core.types.document import tables_of, tables_text
from hoptrail.stores.records.change_table import (
    is_listed,
    list_items,
    listed_only,
    note_derived,
    note_replaced,
    note_underived,
)
from hoptrail.stores.records.result_tables import (
    forget_unused_scans,
    put_document_scans,
)
from hoptrail.stores.records.schema import (
    ADDED_CHUNK_COLUMNS,
    COLUMNS_FORMAT,
    format_of,
)
from hoptrail.stores.records.stored_values import text_hash
from hoptrail.stores.records.tables import generation, has_table, mark_changed, rows_among

_ID = re.compile(r'"([0-9a-f]{16})"')  # of a passage or relation, in what a report rests on
PutResult = Literal["added", "replaced", "unchanged"]

_FEW = 16  # passages that SQLite finds in reports sooner than all ids can be read out of them
# A passage of a replaced document that stays as it is, with all that is embedded and counted of it.
SAME_PASSAGE = """chunks.id = replaced_chunks.id AND chunks.title = replaced_chunks.title
    AND chunks.section IS replaced_chunks.section"""
_LANGUAGES = """SELECT json_extract(metadata, '$.language') AS language, count(*)
    FROM documents GROUP BY language ORDER BY count(*) DESC, language"""
_CHUNK_COLUMNS = "id, doc_id, title, text, start, end, tokens, places, tables, unsure, section"


def put_document(
    connection: sqlite3.Connection, document: Document, chunks: Sequence[Chunk]
) -> PutResult:
    """Store a document with exactly these chunks.

    What a published document said is kept for the readers of that generation. Chunks that stay keep
    their extractions, unless the title changed: extractors read it too.
    """
    before = connection.execute(
        "SELECT content_hash, title FROM documents WHERE id = ?", (document.id,)
    ).fetchone()
    if before is None:
        _upsert_document(connection, document)
        _insert_chunks(connection, chunks)
        put_document_scans(connection, document.id, document.scans)
        if is_listed(connection, "document", document.id):  # it was deleted, and comes back
            mark_changed(connection)
        list_items(connection, "document", [document.id])
        note_underived(connection, document.id)
        return "added"
    known = {
        row[0]
        for row in connection.execute("SELECT id FROM chunks WHERE doc_id = ?", (document.id,))
    }
    wanted = {chunk.id for chunk in chunks}
    if before[0] == document.content_hash and known == wanted:
        if _metadata(connection, document.id) != document.metadata:
            mark_changed(connection)  # filters ask for it
        _upsert_document(connection, document)
        _insert_chunks(connection, filter(_may_have_gained, chunks))
        put_document_scans(connection, document.id, document.scans)
        return "unchanged"
    keep_for_readers(connection, document.id)
    note_replaced(connection, document.id)
    _upsert_document(connection, document)
    gone = known if before[1] != document.title else known - wanted
    connection.executemany("DELETE FROM chunks WHERE id = ?", [(id_,) for id_ in sorted(gone)])
    connection.execute(
        "DELETE FROM extractions WHERE doc_id = ? AND chunk_id IS NULL", (document.id,)
    )
    _insert_chunks(connection, chunks)
    put_document_scans(connection, document.id, document.scans)
    list_items(connection, "document", [document.id])
    return "replaced"


def has_replaced(connection: sqlite3.Connection) -> bool:
    """Return whether documents were replaced since the last generation was published."""
    query = "SELECT 1 FROM replaced_documents LIMIT 1"
    is_there = has_table(connection, "replaced_documents")
    return is_there and connection.execute(query).fetchone() is not None


def forget_replaced(connection: sqlite3.Connection) -> None:
    """Forget what documents said in the last generation, as no reader of it is left."""
    connection.execute("DELETE FROM replaced_chunks")
    connection.execute("DELETE FROM replaced_documents")


def delete_documents(
    connection: sqlite3.Connection, ids: Iterable[str], *, derived: bool = False
) -> None:
    """Delete documents with their chunks and extractions, and the reports that rest on them.

    Args:
        connection: Writes the base.
        ids: Their ids.
        derived: Whether the graph has nothing of them any more. Then they are listed as gone, and
            what they said is kept for the next generation, which goes on from the last one.

    Raises:
        UnknownNameError: If one of them is not there; then nothing is deleted.
    """
    wanted = sorted(set(ids))
    for doc_id in wanted:
        there = connection.execute("SELECT 1 FROM documents WHERE id = ?", (doc_id,))
        if there.fetchone() is None:
            raise _unknown_document(doc_id, content_hashes(connection))
    # A report is paid for, but it may quote what it rests on.
    reports = _drop_reports(connection, wanted)
    # A deleted document's file is read again if it is given again, however old it is.
    connection.executemany(
        "DELETE FROM file_stamps WHERE path = (SELECT uri FROM documents WHERE id = ?)",
        [(doc_id,) for doc_id in wanted],
    )
    if derived:
        for doc_id in wanted:
            keep_for_readers(connection, doc_id)
        list_items(connection, "document", wanted)
        list_items(connection, "report", map(text_hash, reports))
    else:
        _forget_replaced(connection, wanted)
        mark_changed(connection)
        note_derived(connection, "")
    connection.executemany("DELETE FROM documents WHERE id = ?", [(doc_id,) for doc_id in wanted])
    forget_unused_scans(connection)


def gone_passages(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Return id, title and text of the passages of listed documents that are gone, by id."""
    return connection.execute(
        f"""SELECT id, title, text FROM replaced_chunks
        WHERE doc_id IN (SELECT id FROM unpublished WHERE kind = 'document')
        AND NOT EXISTS (SELECT 1 FROM chunks WHERE {SAME_PASSAGE}) ORDER BY id"""
    ).fetchall()


def _drop_reports(connection: sqlite3.Connection, doc_ids: Sequence[str]) -> list[str]:
    """Delete the reports that rest on documents, and return what was embedded for each.

    All reports are gone through once, however many the documents are.
    """
    query = "SELECT id FROM chunks WHERE doc_id = ?"
    gone = {row[0] for doc_id in doc_ids for row in connection.execute(query, (doc_id,))}
    few = sorted(gone) if len(gone) <= _FEW else []
    likely = f"WHERE {' OR '.join(['instr(findings, ?)'] * len(few))}" if few else ""
    rows = connection.execute(f"SELECT key, findings FROM community_reports {likely}", few)
    keys = [key for key, findings in rows if not gone.isdisjoint(_ID.findall(findings))]
    delete = "DELETE FROM community_reports WHERE key = ? RETURNING title || char(10) || summary"
    return [row[0] for key in keys for row in connection.execute(delete, (key,))]


def _forget_replaced(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    """Forget what documents said, so that they are not found as what a replaced one said."""
    rows = [(doc_id,) for doc_id in ids]
    connection.executemany("DELETE FROM replaced_documents WHERE id = ?", rows)
    connection.executemany("DELETE FROM replaced_chunks WHERE doc_id = ?", rows)


def rename_document(connection: sqlite3.Connection, old: str, new: str) -> None:
    """Give a document another id, a new one; what was read in it, and paid for, stays with it.

    Readers of the published generation find it under the old id until the next one is published,
    and the old id is remembered for what was stored elsewhere, such as conversations.
    """
    keep_for_readers(connection, old)
    connection.execute(
        """INSERT INTO documents SELECT ?2, title, text, source, uri, metadata, content_hash
        FROM documents WHERE id = ?1""",
        (old, new),
    )
    chunks = connection.execute("SELECT id, start, end, text FROM chunks WHERE doc_id = ?", (old,))
    for chunk_id, start, end, text in chunks.fetchall():
        renamed = Chunk.make_id(new, start, end, text)
        connection.execute(
            f"""INSERT INTO chunks ({_CHUNK_COLUMNS})
            SELECT ?2, ?3, title, text, start, end, tokens, places, tables, unsure,
            section FROM chunks WHERE id = ?1""",
            (chunk_id, renamed, new),
        )
        connection.execute(
            "UPDATE extractions SET doc_id = ?, chunk_id = ? WHERE chunk_id = ?",
            (new, renamed, chunk_id),
        )
        connection.execute(
            """UPDATE community_reports SET findings = replace(findings, ?1, ?2)
            WHERE instr(findings, ?1)""",
            (chunk_id, renamed),
        )
    for table in ("extractions", "triple_lists", "former_ids", "document_scans"):
        connection.execute(f"UPDATE {table} SET doc_id = ? WHERE doc_id = ?", (new, old))
    connection.execute("DELETE FROM documents WHERE id = ?", (old,))
    connection.execute("INSERT OR REPLACE INTO former_ids VALUES (?, ?)", (old, new))
    mark_changed(connection)
    note_derived(connection, "")


def content_hashes(connection: sqlite3.Connection) -> dict[str, str]:
    """Return `Document.content_hash` by document id, in order of ids."""
    return dict(connection.execute("SELECT id, content_hash FROM documents ORDER BY id"))


def document_records(connection: sqlite3.Connection) -> list[Document]:
    """Return all documents by id, published or not, without their texts."""
    query = "SELECT id, title, '', source, uri, metadata FROM documents ORDER BY id"
    return list(map(document_of, connection.execute(query)))


def document_languages(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many documents have each language, the commonest first."""
    return {language: count for language, count in connection.execute(_LANGUAGES) if language}


def put_field(connection: sqlite3.Connection, ids: Iterable[str], name: str, value: str) -> None:
    """Give documents a field of their metadata."""
    for doc_id in ids:
        row = connection.execute(
            "SELECT metadata FROM documents WHERE id = ?", (doc_id,)
        ).fetchone()
        if row is not None:
            metadata = {**json.loads(row[0]), name: value}
            connection.execute(
                "UPDATE documents SET metadata = ? WHERE id = ?", (_metadata_text(metadata), doc_id)
            )
            if not is_listed(connection, "document", doc_id):
                mark_changed(connection)  # filters ask for it


def iter_chunks(
    connection: sqlite3.Connection, doc_ids: Iterable[str] | None = None
) -> Iterator[Chunk]:
    """Yield the chunks of some documents, or all, by document and place in it.

    They are those of the present state, published or not.
    """
    query, order = f"SELECT {chunk_columns(connection)} FROM chunks", "ORDER BY doc_id, start, id"
    if doc_ids is None:
        yield from map(chunk_of, connection.execute(f"{query} {order}"))
    else:
        some = rows_among(connection, f"{query} WHERE doc_id IN {{}} {order}", sorted(doc_ids))
        yield from map(chunk_of, some)


def iter_table_chunks(connection: sqlite3.Connection) -> Iterator[Chunk]:
    """Yield the chunks that tell rows of tables, by document and place in it."""
    if format_of(connection) < COLUMNS_FORMAT:
        return
    query = f"SELECT {chunk_columns(connection)} FROM chunks"
    told = connection.execute(f"{query} WHERE tables IS NOT NULL ORDER BY doc_id, start")
    yield from map(chunk_of, told)


def chunk_columns(connection: sqlite3.Connection) -> str:
    """Return the columns that `chunk_of` reads, as a base of this format has them."""
    columns = _CHUNK_COLUMNS
    if format_of(connection) < COLUMNS_FORMAT:
        for name in ADDED_CHUNK_COLUMNS:
            columns = columns.replace(name, f"NULL AS {name}")
    return columns


def chunk_of(row: Sequence[Any]) -> Chunk:
    """Return the chunk of a row.

    Raises:
        KnowledgeBaseError: If its text is not the one that was stored.
    """
    chunk = stored_chunk(row)
    if not chunk.is_as_made:
        raise damaged_text(chunk.doc_id)
    return chunk


def stored_chunk(row: Sequence[Any]) -> Chunk:
    """Return the chunk of a row as it stands there."""
    id_, doc_id, title, text, start, end, tokens, stored, rows, doubtful, section = row
    places = tuple((at, name) for at, name in json.loads(stored)) if stored else ()
    tables = tables_of(rows) if rows else ()
    unsure = tuple((begin, after) for begin, after in json.loads(doubtful)) if doubtful else ()
    return Chunk(
        id_, doc_id, title, text, start, end, tokens, places, tables, unsure, section or ""
    )


def keep_for_readers(connection: sqlite3.Connection, doc_id: str) -> None:
    """Keep what a published document says until the next generation is published.

    Of a document that is replaced twice meanwhile, what was published counts.
    """
    if generation(connection) == 0 or _is_kept_or_new(connection, doc_id):
        return
    connection.execute(
        "INSERT OR IGNORE INTO replaced_documents SELECT * FROM documents WHERE id = ?", (doc_id,)
    )
    connection.execute(
        f"""INSERT OR IGNORE INTO replaced_chunks ({_CHUNK_COLUMNS})
        SELECT {_CHUNK_COLUMNS} FROM chunks WHERE doc_id = ?""",
        (doc_id,),
    )


def _is_kept_or_new(connection: sqlite3.Connection, doc_id: str) -> bool:
    """Return whether the published generation has a document otherwise, or not at all."""
    query = "SELECT 1 FROM replaced_documents WHERE id = ?"
    is_kept = connection.execute(query, (doc_id,)).fetchone() is not None
    return is_kept or (listed_only(connection) and is_listed(connection, "document", doc_id))


def _metadata(connection: sqlite3.Connection, doc_id: str) -> object:
    query = "SELECT metadata FROM documents WHERE id = ?"
    return json.loads(connection.execute(query, (doc_id,)).fetchone()[0])


def _upsert_document(connection: sqlite3.Connection, document: Document) -> None:
    connection.execute(
        """INSERT INTO documents (id, title, text, source, uri, metadata, content_hash)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET title = excluded.title, text = excluded.text,
        source = excluded.source, uri = excluded.uri, metadata = excluded.metadata,
        content_hash = excluded.content_hash""",
        (
            document.id,
            document.title,
            document.text,
            document.source,
            document.uri,
            _metadata_text(document.metadata),
            document.content_hash,
        ),
    )


def _metadata_text(metadata: Mapping[str, str]) -> str:
    return json.dumps(metadata, ensure_ascii=False, sort_keys=True)


def _insert_chunks(connection: sqlite3.Connection, chunks: Iterable[Chunk]) -> None:
    connection.executemany(
        f"""INSERT INTO chunks ({_CHUNK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET places = excluded.places, tables = excluded.tables,
        unsure = excluded.unsure, section = excluded.section""",
        map(_chunk_row, chunks),
    )


def checked_document(row: Sequence[Any]) -> Document:
    """Return the document of its columns, the last of which is the content hash.

    Raises:
        KnowledgeBaseError: If its text is not the one that was stored.
    """
    *columns, content_hash = row
    document = document_of(columns)
    if document.content_hash != content_hash:
        raise damaged_text(document.id)
    return document


def damaged_text(name: str) -> KnowledgeBaseError:
    """Return the error that a stored text is not the one that was written.

    Args:
        name: Of what the text is.
    """
    return KnowledgeBaseError(
        f"the text of {name} is damaged: it is not the one that was stored",
        hint="hoptrail repair KB brings back what can be, else restore a backup",
    )


def document_of(row: Sequence[Any]) -> Document:
    """Return the document of its columns, but for the content hash."""
    id_, title, text, source, uri, metadata = row
    return Document(id_, title, text, source, uri, json.loads(metadata))


def _chunk_row(chunk: Chunk) -> tuple[object, ...]:
    places = json.dumps(chunk.places, ensure_ascii=False) if chunk.places else None
    tables = tables_text(chunk.tables) if chunk.tables else None
    unsure = json.dumps(chunk.unsure) if chunk.unsure else None
    told = (chunk.id, chunk.doc_id, chunk.title, chunk.text, chunk.start, chunk.end, chunk.tokens)
    return (*told, places, tables, unsure, chunk.section or None)


def _may_have_gained(chunk: Chunk) -> bool:
    """Return whether a chunk has what a base of an older format did not store."""
    return bool(chunk.places or chunk.tables or chunk.unsure or chunk.section)


def _stem(doc_id: str) -> str:
    """Return the name of a document's file, without folders and ending, folded."""
    return doc_id.rpartition("/")[2].rpartition(".")[0].casefold() or doc_id.casefold()


def _alike(name: str, known: Collection[str]) -> list[str]:
    """Return the id whose file's name is nearest: a folder and an ending make no ids alike."""
    by_stem: dict[str, list[str]] = {}
    for doc_id in known:
        by_stem.setdefault(_stem(doc_id), []).append(doc_id)
    close = difflib.get_close_matches(_stem(name), by_stem, n=1)
    return difflib.get_close_matches(name, by_stem[close[0]], n=1) if close else []


def _unknown_document(name: str, known: Collection[str]) -> UnknownNameError:
    """Return the error of an id that no document has; its hint says how to list the ids."""
    listing = "hoptrail info --documents, or Hoptrail.documents(), lists the ids"
    source = name.rpartition("/")[2].partition(".")[0]
    count = sum(one.startswith(f"{source}/") for one in known)
    if not count:
        return UnknownNameError("document", name, _alike(name, known), listing=listing)
    own = "1 document has an id" if count == 1 else f"{count:,} documents have ids"
    hint = f"of the source {source}, {own} beginning with {source}/; {listing}"
    return UnknownNameError("document", name, (), listing=hint)
