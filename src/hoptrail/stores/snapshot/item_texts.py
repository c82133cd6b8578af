"""Which text is embedded for each passage, entity, relation and report; equal ones share a vector.

A community without a report is not embedded. Sentences, and the names and relations that were read
in passages, are many times as many as the passages: they are asked for apart from the rest, as a
static model may embed them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.sorted_sets import is_among
from hoptrail.core.embedding import IntArray
from hoptrail.core.names import predicate_words
from hoptrail.core.text import sentences
from hoptrail.core.types.document import BELOW
from hoptrail.stores.records.change_table import listed_at_most
from hoptrail.stores.records.community_table import report_texts
from hoptrail.stores.records.document_table import SAME_PASSAGE
from hoptrail.stores.records.embedding_table import (
    known_hashes,
    missing_texts,
    noted_static,
)
from hoptrail.stores.records.schema import COLUMNS_FORMAT, format_of
from hoptrail.stores.records.stored_values import (
    HASH_TYPE,
    HashArray,
    description_column,
    entity_text,
    passage_text,
    relation_text,
    text_hash,
)
from hoptrail.stores.records.tables import read_meta, write_meta
from hoptrail.stores.snapshot.arrays import Arrays
from hoptrail.stores.snapshot.graph_index import rows_of

_BATCH = 8192

_TITLE_PATH = f"title || ifnull('{BELOW}' || section, '')"
_PASSAGES = "SELECT id, {title_path}, text FROM chunks ORDER BY id"
_ENTITY_ROWS = "SELECT name, description FROM entities ORDER BY id"
_READ_ENTITY_ROWS = "SELECT name, description FROM entities WHERE chunk_ids != '' ORDER BY id"
_OTHER_ENTITY_ROWS = "SELECT name, description FROM entities WHERE chunk_ids = '' ORDER BY id"
_TOLD = "WHERE r.description != '' OR r.chunk_ids != '' ORDER BY r.id"
_TOLD_RELATIONS = f"SELECT r.id FROM relations r {_TOLD}"
# A relation with a description is embedded as that alone: no names are looked up for it.
_NAME = """CASE WHEN r.description = ''
    THEN (SELECT name FROM entities WHERE id = r.{}) ELSE '' END"""
_TOLD_RELATION_ROWS = f"""SELECT {_NAME.format("source")}, r.predicate, {_NAME.format("target")},
    {{text}} FROM relations r {_TOLD}"""
_BARE_PREDICATES = """SELECT DISTINCT predicate FROM relations
    WHERE description = '' AND chunk_ids = '' ORDER BY predicate"""
_LISTED = "(SELECT id FROM unpublished WHERE kind = '{}')"
_LISTED_PASSAGES = f"""SELECT id, {_TITLE_PATH}, text FROM chunks
    WHERE doc_id IN {_LISTED.format("document")}
    AND NOT EXISTS (SELECT 1 FROM replaced_chunks WHERE {SAME_PASSAGE}) ORDER BY id"""
_LISTED_ENTITIES = f"""SELECT id, name, description FROM entities
    WHERE id IN {_LISTED.format("entity")} ORDER BY id"""
_LISTED_RELATIONS = f"""SELECT r.id, s.name, r.predicate, t.name, {{text}} FROM relations r
    JOIN entities s ON s.id = r.source JOIN entities t ON t.id = r.target
    WHERE r.id IN {_LISTED.format("relation")} ORDER BY r.id"""
_COMPLETE = "complete_vectors"  # the embedder that all texts of the last generation have one of


@dataclass(frozen=True, slots=True)
class ItemTexts:
    """The distinct texts of one kind of items.

    `hashes` has one per text, in the order in which they come first; `text_of` the place of each
    item's text in it, items by id, -1 for an item that is not embedded. `was_read` tells of each
    text whether it was read in a passage.
    """

    hashes: HashArray
    text_of: IntArray
    was_read: NDArray[np.bool_]


def texts_without_vectors(
    connection: sqlite3.Connection, embedder_id: int | None, *, read: bool = True
) -> list[str]:
    """Return each text that still needs a vector once: passages, sentences, entities, relations.

    Where all that was published has its vectors, and what was added since is listed, only that is
    looked at.

    Args:
        connection: The state to read.
        embedder_id: The embedder of the vectors.
        read: Whether to look at what was read in passages too.
    """
    if embedder_id is not None and _others_have_vectors(connection, embedder_id, read=read):
        listed = _listed_texts(connection, read=read)
        return missing_texts(connection, embedder_id, dict.fromkeys(listed))
    known = known_hashes(connection, embedder_id)
    missing: dict[str, None] = {}
    texts = chain(_other_texts(connection), read_texts(connection) if read else ())
    while batch := list(islice(texts, _BATCH)):
        hashes = np.array([text_hash(text) for text in batch], dtype=HASH_TYPE)
        for place in np.flatnonzero(~is_among(known, hashes)):
            missing.setdefault(batch[place])
    return list(missing)


def is_complete(connection: sqlite3.Connection, embedder_id: int) -> bool:
    """Return whether all that the last generation shows has a vector of this embedder."""
    return read_meta(connection, _COMPLETE) == str(embedder_id)


def note_complete(connection: sqlite3.Connection, embedder_id: int, *, complete: bool) -> None:
    """Note whether all that is being published has a vector of this embedder."""
    write_meta(connection, _COMPLETE, str(embedder_id) if complete else "")


def _others_have_vectors(connection: sqlite3.Connection, embedder_id: int, *, read: bool) -> bool:
    """Return whether all but the listed texts are known to have a vector that is stored.

    Those that a static model made of what was read are published and not stored.
    """
    if read and noted_static(connection, embedder_id) is not None:
        return False
    return listed_at_most(connection) and is_complete(connection, embedder_id)


def _listed_texts(connection: sqlite3.Connection, *, read: bool) -> Iterator[str]:
    """Yield the texts of what was added since the last generation, with repetitions."""
    listed = list(listed_passages(connection))
    yield from (passage_text(title, text) for _, title, text in listed)
    if not read:
        return
    for _, _, text in listed:
        yield from sentences(text)
    yield from filter(None, dict(listed_entity_texts(connection)).values())
    yield from dict(listed_relation_texts(connection)).values()


def passages(connection: sqlite3.Connection) -> Iterator[tuple[str, str, str]]:
    """Yield id, title path and text of all passages, by id."""
    title_path = _TITLE_PATH if format_of(connection) >= COLUMNS_FORMAT else "title"
    yield from connection.execute(_PASSAGES.format(title_path=title_path))


def listed_passages(connection: sqlite3.Connection) -> Iterator[tuple[str, str, str]]:
    """Yield id, title path and text of the new passages of listed documents, by id."""
    yield from connection.execute(_LISTED_PASSAGES)


def listed_entity_texts(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Yield the id of each listed entity that is there, and what is embedded for it, by id."""
    for id_, name, description in connection.execute(_LISTED_ENTITIES):
        yield id_, entity_text(name, description)


def listed_relation_texts(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Yield the id of each listed relation that is there, and what is embedded for it, by id."""
    for id_, *told in connection.execute(_with_description(connection, _LISTED_RELATIONS)):
        yield id_, relation_text(*told)


def _other_texts(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the texts of passages, of what stands in none, and of reports, with repetitions.

    A relation with neither description nor passage is embedded as its predicate's words: a bare
    graph has millions of relations and thousands of predicates.
    """
    yield from (passage_text(*row[1:]) for row in passages(connection))
    yield from filter(None, _entity_texts(connection, _OTHER_ENTITY_ROWS))
    for (predicate,) in connection.execute(_BARE_PREDICATES):
        yield predicate_words(predicate)
    yield from filter(None, report_texts(connection))


def read_texts(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield sentences, and the texts of entities and relations in them, with repetitions."""
    yield from chain.from_iterable(sentences(row[2]) for row in passages(connection))
    yield from filter(None, _entity_texts(connection, _READ_ENTITY_ROWS))
    yield from _told_relation_texts(connection)


def item_texts(connection: sqlite3.Connection, graph: Arrays) -> dict[str, ItemTexts]:
    """Return the texts by kind; `graph` holds the arrays of the graph index."""
    embedded = (passage_text(*row[1:]) for row in passages(connection))
    return {
        "chunk": _distinct(embedded),
        "entity": _entity_texts_with_origin(connection),
        "relation": _relation_texts(connection, graph),
        "report": _distinct(report_texts(connection)),
    }


def told_relations(connection: sqlite3.Connection) -> list[str]:
    """Return the ids of the relations that are embedded with a text of their own."""
    return [row[0] for row in connection.execute(_TOLD_RELATIONS)]


def _with_description(connection: sqlite3.Connection, query: str) -> str:
    return query.format(text=description_column(connection, "r.description"))


def _told_relation_texts(connection: sqlite3.Connection) -> Iterator[str]:
    rows = connection.execute(_with_description(connection, _TOLD_RELATION_ROWS))
    return (relation_text(*row) for row in rows)


def _entity_texts(connection: sqlite3.Connection, query: str = _ENTITY_ROWS) -> Iterator[str]:
    return (entity_text(*row) for row in connection.execute(query))


def _entity_texts_with_origin(connection: sqlite3.Connection) -> ItemTexts:
    texts = _distinct(_entity_texts(connection))
    rows = connection.execute("SELECT chunk_ids != '' FROM entities ORDER BY id")
    was_read = np.fromiter((row[0] for row in rows), dtype=np.bool_)
    return ItemTexts(texts.hashes, texts.text_of, _those(texts, texts.text_of[was_read]))


def _those(texts: ItemTexts, places: IntArray) -> NDArray[np.bool_]:
    chosen = np.zeros(len(texts.hashes), dtype=np.bool_)
    chosen[places[places >= 0]] = True
    return chosen


def _relation_texts(connection: sqlite3.Connection, graph: Arrays) -> ItemTexts:
    told = rows_of(graph["relation_ids"], told_relations(connection))
    predicate_of = np.array(graph["relation_predicate"], dtype=np.int32)
    predicate_of[told] = -1
    used = np.unique(predicate_of[predicate_of >= 0])
    words = (predicate_words(str(name)) for name in graph["predicates"][used])
    texts = _distinct(chain(words, _told_relation_texts(connection)))
    place_of = np.full(len(graph["predicates"]) + 1, -1, dtype=np.int32)  # -1 asks for the last
    place_of[used] = texts.text_of[: len(used)]
    text_of = place_of[predicate_of]
    text_of[told] = texts.text_of[len(used) :]
    return ItemTexts(texts.hashes, text_of, _those(texts, text_of[told]))


def _distinct(texts: Iterable[str]) -> ItemTexts:
    places: dict[bytes, int] = {}
    parts = [np.zeros(0, dtype=np.int32)]
    remaining = iter(texts)
    while batch := list(islice(remaining, _BATCH)):
        keys = (text_hash(text).encode() if text else b"" for text in batch)
        parts.append(
            np.array(
                [places.setdefault(key, len(places)) if key else -1 for key in keys],
                dtype=np.int32,
            )
        )
    hashes = np.array(list(places), dtype=HASH_TYPE)
    return ItemTexts(hashes, np.concatenate(parts), np.zeros(len(hashes), dtype=np.bool_))
