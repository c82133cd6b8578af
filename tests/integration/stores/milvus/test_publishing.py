from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from hoptrail.core.errors import KnowledgeBaseLockedError, StoreError
from hoptrail.core.progress import NoProgress
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.milvus import expressions
from hoptrail.stores.milvus import store as store_module
from hoptrail.stores.milvus.connection import Connection
from hoptrail.stores.milvus.pointer import Lease, Pointer, make_bases
from hoptrail.stores.milvus.rows import NEVER
from hoptrail.stores.milvus.schema import Field, collection_of, fields_of, space_of
from hoptrail.stores.milvus.store import MilvusStore
from hoptrail.stores.protocols import VectorKind
from hoptrail.stores.publication import bring_in_step
from hoptrail.stores.vector_search import ServedKind, predicate_key
from tests.servers.bases import TownBase

pytestmark = pytest.mark.slow

OpenStore = Callable[[str], MilvusStore]


def collection(kb: KnowledgeBase, kind: ServedKind) -> str:
    return collection_of(kind, space_of(kb.embedder.name, kb.embedder.dim))


def key_of(id_: str) -> str:
    """Return the key of an item's vector: the relations `b...` of the towns have no text."""
    return predicate_key("mentions") if re.fullmatch(r"b\d+", id_) else id_


def living(connection: Connection, kb: KnowledgeBase, name: str, kind: ServedKind) -> set[str]:
    """Return the keys that other packages see of a base."""
    condition = expressions.both(expressions.of_base(name), f"died == {NEVER}")
    rows = connection.query(collection(kb, kind), condition, ("item_id",), "Strong")
    keys = [row["item_id"] for row in rows]
    assert len(keys) == len(set(keys))
    return set(keys)


def assert_in_step(towns: TownBase, store: MilvusStore) -> None:
    """The server finds what the folder finds, with the same similarities."""
    kb = towns.kb
    shown = store.vectors().shown(kb.newest_generation)
    assert shown is not None
    query = towns.embedder.embed(["a mill on the road"])
    kinds: tuple[tuple[ServedKind, VectorKind], ...] = (
        ("chunk", "chunk"),
        ("entity", "entity"),
        ("relation", "relation"),
        ("report", "report"),
    )
    for kind, own in kinds:
        vectors = kb.vectors(own)
        [nearest] = shown.nearest(query, {kind: 1_000})[kind]
        ids, scores = vectors.search(query[0], 1_000)
        keys = [key_of(id_) for id_ in ids.tolist()]
        assert set(nearest.keys) == set(keys)
        score_of = dict(zip(nearest.keys, nearest.scores.tolist(), strict=True))
        assert np.allclose([score_of[key] for key in keys], scores, atol=1e-4)
        assert np.allclose(shown.vectors(kind, keys), vectors.vectors(ids), atol=1e-6)
        [found] = shown.scores(query, {kind: keys})[kind]
        assert np.allclose(found, scores, atol=1e-4)


def test_all_vectors_are_published(towns: TownBase, store: MilvusStore) -> None:
    assert store.state() is None
    told = bring_in_step(towns.kb, store)
    assert told is not None and told.since is None
    assert_in_step(towns, store)
    state = store.state()
    assert state is not None
    assert state.base.counts == towns.kb.base_description().counts
    assert bring_in_step(towns.kb, store) is None


def test_only_what_differs_is_written(
    towns: TownBase, store: MilvusStore, connection: Connection, name: str
) -> None:
    bring_in_step(towns.kb, store)
    fields = ("item_id", "born")
    towns.say(1, "Town 1 has a tower now, and a long wall.")
    towns.say(9, "Town 9 is new.")
    towns.forget(5)
    towns.publish()
    told = bring_in_step(towns.kb, store)
    assert told is not None and told.since is not None and not told.repaired
    assert_in_step(towns, store)
    condition = expressions.both(expressions.of_base(name), "born == 2")
    new = connection.query(collection(towns.kb, "chunk"), condition, fields, "Strong")
    assert len(new) == 4, "two passages of each of two towns"
    assert living(connection, towns.kb, name, "chunk") == set(towns.kb.index.chunk_ids.tolist())


def test_readers_of_the_generation_before_still_find_it(
    towns: TownBase, store: MilvusStore
) -> None:
    bring_in_step(towns.kb, store)
    before = towns.kb.newest_generation
    reader = store.vectors()
    shown = reader.shown(before)
    assert shown is not None
    query = towns.embedder.embed(["Town 5 has a mill."])
    expected = shown.nearest(query, {"chunk": 20})["chunk"][0]
    towns.forget(5)
    towns.publish()
    bring_in_step(towns.kb, store)
    again = shown.nearest(query, {"chunk": 20})["chunk"][0]
    assert list(again.keys) == list(expected.keys)
    assert store.vectors().shown(before) is not None


def test_what_no_reader_sees_is_dropped(
    towns: TownBase,
    store: MilvusStore,
    connection: Connection,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(store_module, "_GRACE_SECONDS", -1.0)
    bring_in_step(towns.kb, store)
    towns.forget(5)
    towns.publish()
    bring_in_step(towns.kb, store)
    every = connection.count(collection(towns.kb, "chunk"), expressions.of_base(name))
    assert every == len(towns.kb.index.chunk_ids)
    assert len(Pointer.read(connection, name).editions) == 1
    assert_in_step(towns, store)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_half_written_batch_is_put_right(
    towns: TownBase,
    store: MilvusStore,
    connection: Connection,
    name: str,
    is_first: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not is_first:
        bring_in_step(towns.kb, store)
        towns.say(1, "Town 1 burnt down.")
        towns.forget(2)
        towns.publish()
    upsert, calls = Connection.upsert, 0

    def failing(self: Connection, where: str, rows: list[dict[str, object]]) -> None:
        nonlocal calls
        calls += where.startswith("hoptrail_entities")
        if calls == 1:
            upsert(self, where, rows[: len(rows) // 2])
            raise StoreError("the server went away")
        upsert(self, where, rows)

    with monkeypatch.context() as patched:
        patched.setattr(Connection, "upsert", failing)
        with pytest.raises(StoreError, match="went away"):
            bring_in_step(towns.kb, store)
    towns.say(3, "Town 3 was renamed meanwhile.")
    towns.publish()
    told = bring_in_step(towns.kb, store)
    assert told is not None and not told.repaired
    assert_in_step(towns, store)
    entities = towns.kb.index.entity_ids.tolist()
    assert living(connection, towns.kb, name, "entity") == set(entities)
    relations = set(map(key_of, towns.kb.index.relation_ids.tolist()))
    assert living(connection, towns.kb, name, "relation") == relations


def test_lost_rows_are_written_again_and_told(
    towns: TownBase, store: MilvusStore, connection: Connection, name: str
) -> None:
    bring_in_step(towns.kb, store)
    lost = expressions.both(expressions.of_base(name), expressions.is_one_of("item_id", ["e1"]))
    connection.delete(collection(towns.kb, "entity"), lost)
    told = bring_in_step(towns.kb, store)
    assert told is not None and told.repaired == "it did not hold what was published there"
    assert_in_step(towns, store)


def test_a_dropped_collection_is_made_anew(
    towns: TownBase, store: MilvusStore, connection: Connection
) -> None:
    bring_in_step(towns.kb, store)
    connection.drop(collection(towns.kb, "relation"))
    told = bring_in_step(towns.kb, store)
    assert told is not None and told.repaired
    assert_in_step(towns, store)


def test_a_collection_of_another_width_is_named(
    towns: TownBase, store: MilvusStore, connection: Connection
) -> None:
    other = collection(towns.kb, "chunk")
    if connection.has(other):
        connection.drop(other)
    connection.create(other, fields_of("chunk", 8), "FLAT")
    try:
        with pytest.raises(StoreError, match="of another make") as error:
            bring_in_step(towns.kb, store)
        assert other in str(error.value)
    finally:
        connection.drop(other)
    bring_in_step(towns.kb, store)
    assert_in_step(towns, store)


def test_a_collection_of_other_fields_is_named(
    towns: TownBase, store: MilvusStore, connection: Connection
) -> None:
    other = collection(towns.kb, "report")
    if connection.has(other):
        connection.drop(other)
    dim = towns.embedder.dim
    connection.create(
        other, [Field("pk", is_primary=True), Field("vector", "FLOAT_VECTOR", dim=dim)], "FLAT"
    )
    try:
        with pytest.raises(StoreError, match="of another make"):
            bring_in_step(towns.kb, store)
    finally:
        connection.drop(other)


def test_a_base_is_published_by_one_writer_at_a_time(
    towns: TownBase, store: MilvusStore, connection: Connection, name: str, open_store: OpenStore
) -> None:
    make_bases(connection)
    with (
        Lease(connection, name),
        pytest.raises(KnowledgeBaseLockedError, match="is being published by process"),
    ):
        bring_in_step(towns.kb, store)
    bring_in_step(towns.kb, store)
    towns.say(1, "Town 1 is published twice at once.")
    towns.publish()
    change = towns.kb.change(towns.kb.newest_generation - 1)
    raised: list[BaseException] = []

    def publish(into: MilvusStore) -> None:
        try:
            into.publish(change, NoProgress())
        except KnowledgeBaseLockedError as error:
            raised.append(error)

    threads = [
        threading.Thread(target=partial(publish, into)) for into in (store, open_store(name))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(raised) <= 1, "one of them at least came through"
    bring_in_step(towns.kb, store)
    assert_in_step(towns, store)


def test_names_with_quotes_are_names(towns: TownBase, open_store: OpenStore, name: str) -> None:
    odd = f"{name} \"quoted\" \\ 'it' {{x}} or 1 == 1\nline"
    store, neighbour = open_store(odd), open_store(name)
    bring_in_step(towns.kb, neighbour)
    bring_in_step(towns.kb, store)
    assert_in_step(towns, store)
    store.remove()
    assert store.state() is None
    assert_in_step(towns, neighbour)


def test_another_embedder_gets_collections_of_its_own(
    towns: TownBase, store: MilvusStore, connection: Connection, name: str
) -> None:
    from hoptrail.testing import HashingEmbedder

    bring_in_step(towns.kb, store)
    before = collection(towns.kb, "chunk")
    towns.embedder = HashingEmbedder(dim=32)
    towns.kb.change_embedder(towns.embedder)
    towns.publish()
    told = bring_in_step(towns.kb, store)
    assert told is not None and told.repaired == "it has other vectors"
    assert_in_step(towns, store)
    assert collection(towns.kb, "chunk") != before
    store.drop_before(towns.kb.newest_generation)
    assert connection.count(before, expressions.of_base(name)) == 0
