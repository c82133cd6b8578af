"""The canonical export: one JSON object per line, the same for the same content.

No times, row numbers, prices or vectors: a base that was built in one go, resumed after a crash or
freed of a document exports the same bytes as any other with that content.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import TextIO

from hoptrail.core.types import JsonDict
from hoptrail.stores.records.document_table import chunk_columns

_QUERIES = {
    "chunk": "SELECT {chunk_columns} FROM chunks ORDER BY id",
    "document": """SELECT id, title, text, source, uri, metadata, content_hash
        FROM documents ORDER BY id""",
    "entity": """SELECT e.id, e.name, e.type, e.description,
        (SELECT json_group_array(n.name) FROM (SELECT name FROM entity_names
            WHERE entity_id = e.id AND position > 0 ORDER BY position) n) AS aliases,
        e.chunk_ids FROM entities e ORDER BY e.id""",
    "mention": """SELECT ifnull(chunk_id, doc_id) || ':' || extractor AS id, doc_id, chunk_id,
        extractor, result AS extraction FROM extractions WHERE result IS NOT NULL ORDER BY 1""",
    "merge": "SELECT id, entity_id, kept, merged, reason FROM merges ORDER BY id",
    "relation": """SELECT id, source, predicate, target, description, weight, chunk_ids
        FROM relations ORDER BY id""",
}
_JSON_COLUMNS = frozenset({"metadata", "aliases", "extraction", "places"})


def write_jsonl(connection: sqlite3.Connection, stream: TextIO) -> None:
    """Write documents, chunks, mentions, entities, relations and merges by kind and id."""
    for kind in sorted(_QUERIES):
        for row in _rows(connection, kind):
            stream.write(json.dumps({"kind": kind, **row}, ensure_ascii=False) + "\n")


def _rows(connection: sqlite3.Connection, kind: str) -> Iterator[JsonDict]:
    cursor = connection.execute(_QUERIES[kind].format(chunk_columns=chunk_columns(connection)))
    names = [column[0] for column in cursor.description]
    for values in cursor:
        row = {name: _plain(name, value) for name, value in zip(names, values, strict=True)}
        yield {name: value for name, value in row.items() if name != "places" or value}


def _plain(name: str, value: object) -> object:
    if name in _JSON_COLUMNS:
        return json.loads(str(value)) if value is not None else None
    return str(value).split() if name == "chunk_ids" else value
