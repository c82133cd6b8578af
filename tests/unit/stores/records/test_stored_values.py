from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.core.types import Chunk, Entity, Relation
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.stores.records.stored_values import (
    HASH_TYPE,
    digests_of,
    forget_told,
    hashes_of,
    packed,
    packed_products,
    packed_text,
    put_told,
    text_hash,
    unpacked,
    unpacked_text,
)
from hoptrail.testing import HashingEmbedder

LONG = "Die Überfahrt kostet 5 €. 渡し船 \U0001f6f6 " * 40
Put = Callable[[str, str, str], Chunk]
SENTENCE = "Ada was born in Rome, and Bo in Bari."
ENTITIES = [Entity(id_, id_.title(), "", f"{id_} is known.") for id_ in ("ada", "bo", "rome")]

_FORMAT_10 = """
CREATE TABLE old_entities (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, description TEXT NOT NULL,
    chunk_ids TEXT NOT NULL
);
INSERT INTO old_entities SELECT * FROM entities;
CREATE TABLE old_relations (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, predicate TEXT NOT NULL, target TEXT NOT NULL,
    description TEXT NOT NULL, weight REAL NOT NULL, chunk_ids TEXT NOT NULL
);
INSERT INTO old_relations SELECT id, source, predicate, target,
    ifnull((SELECT text FROM told WHERE id = description), description), weight, chunk_ids
    FROM relations;
DROP TABLE entities;
DROP TABLE relations;
DROP TABLE told;
ALTER TABLE old_entities RENAME TO entities;
ALTER TABLE old_relations RENAME TO relations;
PRAGMA user_version = 10;
"""


@pytest.mark.parametrize("text", ["", "short", LONG])
def test_a_text_comes_back_as_it_was(text: str) -> None:
    assert unpacked_text(packed_text(text)) == text


def test_a_long_text_takes_a_part_of_its_bytes_and_a_short_one_stays_readable() -> None:
    assert len(packed_text(LONG)) < len(LONG.encode()) / 5
    assert packed_text("short") == "short"


def test_damaged_bytes_are_told() -> None:
    stored = packed_text(LONG)
    assert isinstance(stored, bytes)
    with pytest.raises(ValueError, match="damaged"):
        unpacked_text(stored[:-5])


def relations(second: str = SENTENCE) -> list[Relation]:
    return [
        Relation("1", "ada", "born in", "rome", SENTENCE),
        Relation("2", "bo", "co-occurs with", "rome", second),
        Relation("3", "ada", "knows", "bo", "short"),
        Relation("4", "bo", "knows", "ada"),
    ]


@pytest.fixture
def told(kb: KnowledgeBase, put: Put, publish: Callable[[], int]) -> KnowledgeBase:
    put("s/1", "Ada", SENTENCE)
    kb.replace_graph(ENTITIES, relations(), [])
    kb.track_changes()
    publish()
    return kb


def rows(kb: KnowledgeBase, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(kb.path / DATABASE_NAME)) as connection:
        return connection.execute(query).fetchall()


def exported(kb: KnowledgeBase) -> str:
    stream = io.StringIO()
    kb.export(stream, "jsonl")
    return stream.getvalue()


def to_format_10(folder: Path) -> None:
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as connection:
        triggers = connection.execute(
            """SELECT sql FROM sqlite_master
            WHERE type = 'trigger' AND tbl_name IN ('entities', 'relations')"""
        ).fetchall()
        vectors = connection.execute("SELECT hash, vector FROM embeddings").fetchall()
        for hash_, vector in vectors:
            (whole,) = unpacked(np.frombuffer(vector, np.int16)[None])
            connection.execute(
                "UPDATE embeddings SET vector = ? WHERE hash = ?", (whole.tobytes(), hash_)
            )
        connection.commit()
        connection.executescript(_FORMAT_10)
        for (trigger,) in triggers:
            connection.execute(trigger)
        connection.commit()


def test_a_sentence_that_tells_of_several_relations_is_stored_once(told: KnowledgeBase) -> None:
    assert rows(told, "SELECT text FROM told") == [(SENTENCE,)]
    assert told.store.relations(["1", "2", "3", "4"])[1].description == SENTENCE
    found = [one.description for one in told.store.relations(["1", "2", "3", "4"])]
    assert found == [SENTENCE, SENTENCE, "short", ""]
    assert dict(told.descriptions("relations")) == {"1": SENTENCE, "2": SENTENCE, "3": "short"}


def test_a_text_that_tells_of_nothing_any_more_is_gone(told: KnowledgeBase) -> None:
    told.replace_graph(ENTITIES, relations("Bo is from Bari, it is said.")[1:], [])
    assert rows(told, "SELECT text FROM told") == [("Bo is from Bari, it is said.",)]


@pytest.mark.parametrize("most", [0, 400], ids=["many", "few"])
def test_of_some_texts_those_that_tell_of_nothing_are_forgotten(
    told: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("hoptrail.stores.records.stored_values.BATCH", most)
    with closing(sqlite3.connect(told.path / DATABASE_NAME)) as connection:
        put_told(connection, ["A sentence that tells of nothing."])
        numbers = [row[0] for row in connection.execute("SELECT id FROM told")]
        forget_told(connection, numbers)
        assert connection.execute("SELECT text FROM told").fetchall() == [(SENTENCE,)]


def test_digests_are_half_the_bytes_of_hashes_and_lead_back_to_them() -> None:
    hashes = np.array([text_hash(text) for text in ("one", "two")], dtype=HASH_TYPE)
    assert digests_of(hashes).shape == (2, 16)
    assert hashes_of(digests_of(hashes)).tolist() == hashes.tolist()
    assert hashes_of(digests_of(hashes[:0])).tolist() == []


def test_a_base_of_the_tenth_format_is_read_as_it_is_and_brought_over_when_written(
    told: KnowledgeBase,
) -> None:
    before = exported(told)
    vectors = told.vectors("chunk").vectors(told.index.chunk_ids)
    told.close()
    to_format_10(told.path)
    with KnowledgeBase.open(told.path, embedder=HashingEmbedder()) as old:
        assert exported(old) == before
        assert old.store.relations(["2"])[0].description == SENTENCE
        with old.private_copy() as copy:
            assert exported(copy) == before
    with KnowledgeBase.open(told.path, embedder=HashingEmbedder(), writable=True) as new:
        assert exported(new) == before
        assert rows(new, "SELECT text FROM told") == [(SENTENCE,)]
        assert set(rows(new, "SELECT length(vector) FROM embeddings")) == {(2 * 64 + 4,)}
        found = new.vectors("chunk").vectors(new.index.chunk_ids)
        np.testing.assert_allclose(found, vectors, atol=1e-5)
        new.replace_graph(ENTITIES, relations("Bo is from Bari, it is said."), [])
        assert ("relation", "2") in rows(new, "SELECT kind, id FROM changes")


def test_a_kill_while_a_base_is_brought_over_leaves_it_as_it_was(
    told: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = exported(told)
    told.close()
    to_format_10(told.path)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("hoptrail.stores.records.schema._pack_vectors", killed)
        with pytest.raises(KeyboardInterrupt):
            KnowledgeBase.open(told.path, writable=True)
    assert rows(told, "PRAGMA user_version") == [(10,)]
    with KnowledgeBase.open(told.path, writable=True) as new:
        assert exported(new) == before


@pytest.fixture(scope="module")
def vectors() -> FloatArray:
    drawn = np.random.default_rng(7).standard_normal((2500, 384)).astype(np.float32)
    units: FloatArray = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return units


def test_a_packed_vector_takes_a_byte_for_each_component_and_points_the_same_way(
    vectors: FloatArray,
) -> None:
    rows = packed(vectors)
    assert rows.dtype == np.int8
    assert rows.shape == (2500, 388)
    assert (np.einsum("ij,ij->i", unpacked(rows), vectors) > 0.997).all()


def test_products_of_packed_vectors_are_those_of_the_unpacked(vectors: FloatArray) -> None:
    rows, queries = packed(vectors), vectors[:3].T
    np.testing.assert_allclose(packed_products(rows, queries), unpacked(rows) @ queries, atol=1e-6)
    np.testing.assert_allclose(packed_products(rows, vectors[5]), vectors @ vectors[5], atol=3e-3)


def test_a_vector_without_length_stays_one() -> None:
    assert (unpacked(packed(np.zeros((2, 8), dtype=np.float32))) == 0).all()


def test_no_vectors_are_packed_as_none() -> None:
    assert packed(np.zeros((0, 8), dtype=np.float32)).shape == (0, 12)
    assert packed_products(np.zeros((0, 12), dtype=np.int8), np.zeros(8, np.float32)).shape == (0,)
