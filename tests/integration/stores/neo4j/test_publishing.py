from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from neo4j import ManagedTransaction

from hoptrail.core.errors import KnowledgeBaseLockedError, StoreError
from hoptrail.core.progress import NoProgress
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.neo4j import statements
from hoptrail.stores.neo4j.connection import Connection, run
from hoptrail.stores.neo4j.pointer import Lease, Pointer
from hoptrail.stores.neo4j.rows import Space, quote_lucene
from hoptrail.stores.neo4j.space_writer import make_searches
from hoptrail.stores.neo4j.statements import in_space
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import bring_in_step
from hoptrail.stores.serving import StoreState, new_holder
from tests.servers.bases import TownBase, public_content

pytestmark = pytest.mark.slow

OpenStore = Callable[[str], Neo4jStore]

_NEAREST = """CYPHER 5 CALL db.index.vector.queryNodes($index, 1, $vector) YIELD node, score
    RETURN node.item_id AS id, score"""
_NAMED = (
    "CYPHER 5 CALL db.index.fulltext.queryNodes($index, $query) YIELD node RETURN node.name AS name"
)


@pytest.fixture
def published(towns: TownBase, store: Neo4jStore) -> TownBase:
    bring_in_step(towns.kb, store)
    return towns


def undisturbed(
    towns: TownBase, connection: Connection, open_store: OpenStore, name: str
) -> object:
    """Return what a base looks like that was published once, as it is now."""
    store = open_store(f"{name}x")
    store.publish(towns.kb.change(None), NoProgress())
    return public_content(connection, f"{name}x")


def test_a_relation_bears_its_predicate_as_type_unless_a_type_of_the_schema_has_that_name(
    shown: TownBase, connection: Connection, shown_name: str
) -> None:
    rows = connection.read(
        """CYPHER 5 MATCH (:__Entity__ {kb: $kb})-[r]->(:__Entity__)
        RETURN DISTINCT type(r) AS type, r.predicate AS predicate ORDER BY type""",
        kb=shown_name,
    )
    assert [tuple(row.values()) for row in rows] == [
        ("LIES_NEXT_TO", "lies next to"),
        ("MENTIONS_", "mentions"),
    ]


def test_an_entity_bears_its_type_as_label_unless_a_label_of_the_schema_has_that_name(
    shown: TownBase, connection: Connection, shown_name: str
) -> None:
    rows = connection.read(
        "CYPHER 5 MATCH (n:__Entity__ {kb: $kb}) RETURN n.type AS type, labels(n) AS labels",
        kb=shown_name,
    )
    own = {"__Entity__", "__Node__", Space.of(shown_name, 1).label("entity")}
    extra = {row["type"]: set(row["labels"]) - own for row in rows}
    assert extra == {"market town": {"MarketTown"}, "Chunk": {"Chunk_"}}


def test_the_nearest_passage_by_vector_is_the_one_of_the_folder(
    shown: TownBase, connection: Connection, shown_name: str
) -> None:
    chunk = next(shown.kb.iter_chunks())
    vector = shown.kb.vectors("chunk").vectors([chunk.id])[0]
    index = Space.of(shown_name, 1).index("chunks")
    (row,) = connection.read(_NEAREST, index=index, vector=vector.tolist())
    assert row["id"] == chunk.id
    assert row["score"] == pytest.approx(1.0, abs=1e-5)


def test_an_entity_is_found_by_the_key_of_its_alias(
    shown: TownBase, connection: Connection, shown_name: str
) -> None:
    index = Space.of(shown_name, 1).index("names")
    (row,) = connection.read(_NAMED, index=index, query=quote_lucene("old town 3"))
    assert row["name"] == "Town 3"


def test_chunks_are_numbered_and_joined_in_the_order_of_the_document(
    shown: TownBase, connection: Connection, shown_name: str
) -> None:
    rows = connection.read(
        """CYPHER 5 MATCH (a:Chunk {kb: $kb})-[:NEXT_CHUNK]->(b)
        RETURN a.index AS a, b.index AS b, a.end = b.start AS joined""",
        kb=shown_name,
    )
    assert rows == [{"a": 0, "b": 1, "joined": True}] * 6


def test_the_degree_of_an_entity_counts_its_relations_only(
    shown: TownBase, connection: Connection, shown_name: str
) -> None:
    index = shown.kb.index
    degrees = dict(
        zip(index.entity_ids.tolist(), np.diff(index.entity_relations.indptr), strict=True)
    )
    rows = connection.read(
        "CYPHER 5 MATCH (n:__Entity__ {kb: $kb}) RETURN n.item_id AS id, n.degree AS degree",
        kb=shown_name,
    )
    assert {row["id"]: row["degree"] for row in rows} == degrees


@pytest.mark.parametrize("change", ["added", "replaced", "deleted"])
def test_after_a_change_the_server_shows_what_a_fresh_publication_would(
    published: TownBase,
    store: Neo4jStore,
    connection: Connection,
    open_store: OpenStore,
    name: str,
    change: str,
) -> None:
    if change == "deleted":
        published.forget(2)
    else:
        published.say(2 if change == "replaced" else 17, "This town burnt down in 1801, alas.")
    published.publish()
    told = bring_in_step(published.kb, store)
    assert told is not None
    assert told.since is not None
    shown = public_content(connection, name)
    assert shown == undisturbed(published, connection, open_store, name)


def test_a_change_writes_only_the_rows_that_differ(
    published: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    published.say(2, "This town burnt down in 1801, alas.")
    published.publish(communities=False)
    bring_in_step(published.kb, store)
    rows = connection.read(
        """CYPHER 5 MATCH (n {kb: $kb}) WHERE n.born = $new AND n.id IS NOT NULL
        RETURN labels(n) AS labels, n.item_id AS id""",
        kb=name,
        new=published.kb.generation,
    )
    entities = {row["id"] for row in rows if "__Entity__" in row["labels"]}
    documents = {row["id"] for row in rows if "Document" in row["labels"]}
    assert (entities, documents) == ({"e2"}, {"s/town-2.md"})


def test_a_change_leaves_nothing_behind_of_what_it_took_away(
    published: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    published.say(2, "This town burnt down in 1801, alas.")
    published.forget(4)
    published.publish()
    bring_in_step(published.kb, store)
    (row,) = connection.read("CYPHER 5 MATCH (n {kb: $kb}) RETURN count(n) AS nodes", kb=name)
    bring_in_step(published.kb, store)
    store.remove()
    store.publish(published.kb.change(None), NoProgress())
    fresh = connection.read("CYPHER 5 MATCH (n {kb: $kb}) RETURN count(n) AS nodes", kb=name)
    assert fresh == [row]


def test_a_dropped_index_is_made_again_by_the_next_publication(
    published: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    index = Space.of(name, 1).index("chunks")
    connection.writing(lambda transaction: run(transaction, f"DROP INDEX {index}").consume())
    source = store.source(published.embedder)
    with pytest.raises(StoreError, match="index") as error:
        make_retriever("vector", source).retrieve("Which town has a mill?")
    assert "hoptrail publish" in error.value.hint
    told = bring_in_step(published.kb, store)
    assert told is not None
    assert (told.since, sum(told.put.values())) == (published.kb.newest_generation, 0)
    assert index in told.repaired
    assert bring_in_step(published.kb, store) is None
    found = make_retriever("vector", source).retrieve("Which town has a mill?")
    expected = make_retriever("vector", published.kb).retrieve("Which town has a mill?")
    assert [hit.item.id for hit in found.chunks] == [hit.item.id for hit in expected.chunks]


def test_a_question_while_an_index_is_being_filled_is_answered_or_told_to_wait(
    published: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    space = Space.of(name, 1)
    fill = in_space(
        """CYPHER 5 MATCH (c:S_Chunk) WITH c LIMIT 1 UNWIND range(1, 5000) AS i
        CREATE (n:S_Chunk) SET n = c {.*, id: null, item_id: 'x' + i}""",
        space,
    )
    connection.writing(lambda transaction: run(transaction, fill).consume())
    index = space.index("chunks")
    connection.writing(lambda transaction: run(transaction, f"DROP INDEX {index}").consume())
    make_searches(connection, space, published.kb.base_description().dim)
    try:
        make_retriever("vector", store.source(published.embedder)).retrieve("Which town?")
    except StoreError as error:
        assert "hoptrail publish" in error.hint
    told = bring_in_step(published.kb, store)
    assert told is not None
    assert told.repaired
    assert store.state() == StoreState(
        published.kb.newest_generation, published.kb.base_description()
    )


def test_a_base_that_is_written_anew_leaves_the_former_rows_to_their_readers(
    published: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    former, present = Space.of(name, 1), Space.of(name, 2)
    content = public_content(connection, name)
    store.publish(published.kb.change(None), NoProgress())
    count = "CYPHER 5 MATCH (n:{}) RETURN count(n) AS n"
    assert connection.read(count.format(former.label("chunk"))) == [{"n": 12}]
    assert public_content(connection, name) == content
    pointer = Pointer.read(connection, name)
    assert (pointer.space, pointer.leaving) == (present, None)
    store.drop_before(pointer.generation or 0)
    assert connection.read(count.format(former.label("chunk"))) == [{"n": 0}]
    assert public_content(connection, name) == content


def test_a_base_with_vectors_of_another_width_is_written_anew(
    published: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    change = published.kb.change(None)
    wider = np.hstack  # every vector twice as long, as another model's would be

    class Wider:
        generation, since, counts, gone = change.generation, None, change.counts, change.gone
        base = replace(change.base, dim=2 * change.base.dim, embedder="wider")

        def put(self, kind, batch):  # type: ignore[no-untyped-def]
            for rows in change.put(kind, batch):
                yield replace(rows, vectors=wider([rows.vectors, rows.vectors]))

    store.publish(Wider(), NoProgress())
    index = Space.of(name, 2).index("chunks")
    (row,) = connection.read(_NEAREST, index=index, vector=[1.0] * Wider.base.dim)
    assert row["score"] > 0


def test_two_bases_of_one_database_do_not_see_each_other(
    published: TownBase,
    store: Neo4jStore,
    open_store: OpenStore,
    connection: Connection,
    name: str,
    tmp_path: Path,
) -> None:
    content = public_content(connection, name)
    other = TownBase(tmp_path / "other", towns=3)
    with other.kb:
        neighbour = open_store(f"{name}-2")
        bring_in_step(other.kb, neighbour)
        assert public_content(connection, name) == content
        neighbour.remove()
    assert public_content(connection, name) == content
    assert neighbour.state() is None


def test_a_removed_base_leaves_no_index_and_no_node(
    published: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    store.remove()
    assert connection.read("CYPHER 5 MATCH (n {kb: $kb}) RETURN n", kb=name) == []
    indexes = "CYPHER 5 SHOW INDEXES YIELD name WHERE name STARTS WITH $prefix RETURN name"
    assert connection.read(indexes, prefix=f"{name}_") == []


def test_a_lease_that_a_killed_writer_got_after_the_first_look_is_taken_over(
    published: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    waits = threading.Event()

    def take_late(transaction: ManagedTransaction) -> None:
        parameters = {"holder": new_holder(), "former": "", "milliseconds": 120_000}
        transaction.run(statements.TAKE_LEASE, parameters, kb=name).consume()
        waits.set()
        time.sleep(1)  # the next writer sees no holder, and waits for this transaction

    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(connection.writing, take_late)
        assert waits.wait(30)
        store.publish(published.kb.change(None), NoProgress())
        late.result()


def test_a_writer_whose_lease_was_taken_over_writes_nothing_more(
    published: TownBase, connection: Connection, name: str
) -> None:
    with Lease(connection, name) as slow:
        connection.writing(
            lambda transaction: transaction.run(
                "CYPHER 5 MATCH (k:KnowledgeBase {kb: $kb}) SET k.lease_until = 0", kb=name
            ).consume()
        )
        with Lease(connection, name), pytest.raises(KnowledgeBaseLockedError, match="took over"):
            connection.writing(slow.keep)


def test_rows_that_somebody_deleted_on_the_server_are_written_again(
    published: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    content = public_content(connection, name)
    connection.writing(
        lambda transaction: transaction.run(
            "CYPHER 5 MATCH (n:Chunk {kb: $kb}) DETACH DELETE n", kb=name
        ).consume()
    )
    told = bring_in_step(published.kb, store)
    assert told is not None
    assert told.repaired
    assert public_content(connection, name) == content
