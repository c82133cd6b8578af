"""The graph for other programs: GraphML and CSV, written row by row."""

from __future__ import annotations

import csv
import re
import sqlite3
from collections.abc import Iterable
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

_ENTITIES = "SELECT id, name, type, description, chunk_ids FROM entities ORDER BY id"
_RELATIONS = """SELECT r.id, s.name, r.predicate, t.name, r.description, r.weight,
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


def write_graphml(connection: sqlite3.Connection, stream: TextIO) -> None:
    """Write entities as nodes and relations as directed edges, by id."""
    stream.write(_GRAPHML_HEAD)
    for id_, name, type_, description, chunk_ids in connection.execute(_ENTITIES):
        stream.write(f"<node id={quoteattr(id_)}>")
        _write_data(stream, name=name, type=type_, description=description, chunk_ids=chunk_ids)
        stream.write("</node>\n")
    for row in connection.execute(_RELATIONS):
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
    _write_csv(stream, _RELATION_COLUMNS, connection.execute(_RELATIONS))


def _write_data(stream: TextIO, **values: str) -> None:
    for key, value in values.items():
        if value:
            stream.write(f'<data key="{key}">{escape(_NOT_IN_XML.sub("", value))}</data>')


def _write_csv(stream: TextIO, columns: Iterable[str], rows: Iterable[tuple[object, ...]]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
