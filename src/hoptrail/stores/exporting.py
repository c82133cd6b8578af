"""Writes a knowledge base to files: each is complete, or not there.

The canonical export: one JSON object per line, the same for the same content.

No times, row numbers, prices or vectors: a base that was built in one go, resumed after a crash or
freed of a document exports the same bytes as any other with that content.
"""

from __future__ import annotations

import csv
import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TextIO, cast, get_args
from xml.sax.saxutils import escape, quoteattr

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict
from hoptrail.stores.records.document_table import checked_document, chunk_columns, chunk_of
from hoptrail.stores.records.schema import ADDED_CHUNK_COLUMNS
from hoptrail.stores.records.stored_values import description_column, unpacked_text

_ENTITIES = "SELECT id, name, type, description, chunk_ids FROM entities ORDER BY id"
_RELATIONS = """SELECT r.id, s.name, r.predicate, t.name, {text}, r.weight,
    r.source, r.target, r.chunk_ids FROM relations r
    JOIN entities s ON s.id = r.source JOIN entities t ON t.id = r.target ORDER BY r.id"""

_ENTITY_COLUMNS = ("id", "name", "type", "description", "chunk_ids")
_RELATION_COLUMNS = (
    "id",
    "head",
    "predicate",
    "tail",
    "description",
    "weight",
    "head_id",
    "tail_id",
    "chunk_ids",
)

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_GRAPHML_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="name" for="node" attr.name="name" attr.type="string"/>
<key id="type" for="node" attr.name="type" attr.type="string"/>
<key id="description" for="all" attr.name="description" attr.type="string"/>
<key id="predicate" for="edge" attr.name="predicate" attr.type="string"/>
<key id="weight" for="edge" attr.name="weight" attr.type="double"/>
<key id="chunk_ids" for="all" attr.name="chunk_ids" attr.type="string"/>
<graph id="hoptrail" edgedefault="directed">
"""
_GRAPHML_TAIL = "</graph>\n</graphml>\n"


def _relations(connection: sqlite3.Connection) -> str:
    return _RELATIONS.format(text=description_column(connection, "r.description"))


def write_graphml(connection: sqlite3.Connection, stream: TextIO) -> None:
    """Write entities as nodes and relations as directed edges, by id."""
    stream.write(_GRAPHML_HEAD)
    for id_, name, type_, description, chunk_ids in connection.execute(_ENTITIES):
        stream.write(f"<node id={quoteattr(id_)}>")
        _write_data(stream, name=name, type=type_, description=description, chunk_ids=chunk_ids)
        stream.write("</node>\n")
    for row in connection.execute(_relations(connection)):
        id_, _, predicate, _, description, weight, source, target, chunk_ids = row
        ends = f"source={quoteattr(source)} target={quoteattr(target)}"
        stream.write(f"<edge id={quoteattr(id_)} {ends}>")
        _write_data(
            stream,
            predicate=predicate,
            description=description,
            weight=repr(weight),
            chunk_ids=chunk_ids,
        )
        stream.write("</edge>\n")
    stream.write(_GRAPHML_TAIL)


def write_entities_csv(connection: sqlite3.Connection, stream: TextIO) -> None:
    """Write one line per entity, `chunk_ids` joined by spaces."""
    _write_csv(stream, _ENTITY_COLUMNS, connection.execute(_ENTITIES))


def write_relations_csv(connection: sqlite3.Connection, stream: TextIO) -> None:
    """Write one line per relation with the names of its ends, `chunk_ids` joined by spaces."""
    _write_csv(stream, _RELATION_COLUMNS, connection.execute(_relations(connection)))


def _write_data(stream: TextIO, **values: str) -> None:
    for key, value in values.items():
        if value:
            stream.write(f'<data key="{key}">{escape(_NOT_IN_XML.sub("", value))}</data>')


def _write_csv(stream: TextIO, columns: Iterable[str], rows: Iterable[tuple[object, ...]]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)


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
    "relation": """SELECT id, source, predicate, target, {text} AS description, weight, chunk_ids
        FROM relations ORDER BY id""",
}
_CHECKS: dict[str, Callable[[Sequence[Any]], object]] = {
    "chunk": chunk_of,
    "document": checked_document,
}
"""Readers that fail where a text is damaged: no wrong one is written into a file."""
_JSON_COLUMNS = frozenset({"metadata", "aliases", "extraction", "places", "tables", "unsure"})


def write_jsonl(connection: sqlite3.Connection, stream: TextIO) -> None:
    """Write documents, chunks, mentions, entities, relations and merges by kind and id."""
    for kind in sorted(_QUERIES):
        for row in _rows(connection, kind):
            stream.write(json.dumps({"kind": kind, **row}, ensure_ascii=False) + "\n")


def _rows(connection: sqlite3.Connection, kind: str) -> Iterator[JsonDict]:
    text = description_column(connection, "relations.description")
    query = _QUERIES[kind].format(chunk_columns=chunk_columns(connection), text=text)
    cursor = connection.execute(query)
    names = [column[0] for column in cursor.description]
    check = _CHECKS.get(kind)
    for values in cursor:
        if check is not None:
            check(values)
        row = {name: _plain(name, value) for name, value in zip(names, values, strict=True)}
        yield {
            name: value for name, value in row.items() if name not in ADDED_CHUNK_COLUMNS or value
        }


def _plain(name: str, value: object) -> object:
    if name in _JSON_COLUMNS:
        return json.loads(unpacked_text(value)) if isinstance(value, str | bytes) else None
    return str(value).split() if name == "chunk_ids" else value


ExportFormat = Literal["jsonl", "graphml", "csv"]
_Writer = Callable[[sqlite3.Connection, TextIO], None]

_WRITERS: dict[ExportFormat, _Writer] = {
    "jsonl": write_jsonl,
    "graphml": write_graphml,
    "csv": write_relations_csv,
}


def export(
    connection: sqlite3.Connection, target: str | Path | TextIO, format: ExportFormat | None
) -> list[Path]:
    """Write to a file or stream, and return the files written.

    CSV to a file also writes `<stem>_entities.csv` beside it.

    Raises:
        InputError: If the format is not known or the file cannot be written.
    """
    if not isinstance(target, (str, Path)):
        _WRITERS[_checked(format or "jsonl", "the stream")](connection, target)
        return []
    path = Path(target)
    chosen = _checked(format or path.suffix.removeprefix(".").lower(), str(path))
    _write_file(connection, path, _WRITERS[chosen])
    if chosen != "csv":
        return [path]
    entities = path.with_name(f"{path.stem}_entities{path.suffix}")
    _write_file(connection, entities, write_entities_csv)
    return [path, entities]


def _checked(format: str, target: str) -> ExportFormat:
    if format not in get_args(ExportFormat):
        known = ", ".join(f".{name}" for name in get_args(ExportFormat))
        raise InputError(f"cannot export to {target}", hint=f"use a file that ends in {known}")
    return cast(ExportFormat, format)


def _write_file(connection: sqlite3.Connection, path: Path, write: _Writer) -> None:
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        # csv writes its own line ends, so the stream must not turn them into others.
        with unfinished.open("w", encoding="utf-8", newline="") as stream:
            write(connection, stream)
        os.replace(unfinished, path)
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}",
            path=str(path),
            hint="check the path, your rights and the free space",
        ) from error
    finally:
        with suppress(OSError):  # as where the folder may not even be looked into
            unfinished.unlink()
