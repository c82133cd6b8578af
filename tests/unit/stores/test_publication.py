from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import StoreError
from hoptrail.core.progress import Progress
from hoptrail.core.types import Chunk, Community, Document, Entity, NodeUsage, Relation
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.protocols import ITEM_KINDS
from hoptrail.stores.publication import bring_in_step
from hoptrail.stores.serving import Change, StoreState
from hoptrail.testing import HashingEmbedder
from tests.passages import passage
from tests.unit.stores.memory_store import MemoryStore

Put = Callable[[str, str, str], Chunk]
Publish = Callable[[], int]


@pytest.fixture
def towns(kb: KnowledgeBase, put: Put, publish: Publish) -> KnowledgeBase:
    """A base of two documents and a small graph with a community."""
    chunks = [put("s/1", "Aby", "Aby lies on the Ulm."), put("s/2", "Bro", "Bro has a mill.")]
    put_towns(kb, chunks)
    leaf = Community("c1", 0, entity_ids=("aby", "bro"), size=2)
    kb.replace_communities([leaf], {"c1": "key"})
    publish()
    return kb


def put_towns(kb: KnowledgeBase, chunks: Sequence[Chunk], name: str = "Aby") -> None:
    entities = [
        Entity("aby", name, "town", aliases=("Old Aby",), chunk_ids=(chunks[0].id,)),
        Entity("bro", "Bro", "town", chunk_ids=(chunks[1].id,)),
        Entity("cid", "Cid", "town"),
    ]
    relations = [
        Relation("r1", "aby", "trades with", "bro", chunk_ids=(chunks[0].id,)),
        Relation("r2", "bro", "near", "cid"),
    ]
    kb.replace_graph(entities, relations, [])


def chunks_of(kb: KnowledgeBase) -> list[Chunk]:
    return list(kb.iter_chunks())


def fresh(kb: KnowledgeBase) -> MemoryStore:
    store = MemoryStore()
    bring_in_step(kb, store)
    return store


class LackingStore(MemoryStore):
    """A server that somebody took an index from; any publication makes it again."""

    lacking = "the index towns was not there"

    def state(self) -> StoreState | None:
        """Return what it shows and lacks."""
        state = super().state()
        return None if state is None else replace(state, lacking=self.lacking)

    def publish(self, change: Change, progress: Progress) -> None:
        """Make the index, and write the change."""
        super().publish(change, progress)
        self.lacking = ""


@pytest.fixture
def server(towns: KnowledgeBase) -> MemoryStore:
    """A server that has the base."""
    store = fresh(towns)
    store.written()
    return store


def test_a_new_server_is_given_all_items_with_their_vectors(towns: KnowledgeBase) -> None:
    store = MemoryStore()
    told = bring_in_step(towns, store)
    assert told is not None
    assert told.since is None
    assert told.put == {"document": 2, "chunk": 2, "entity": 3, "relation": 2, "community": 1}
    assert {kind: len(store.rows[kind]) for kind in ITEM_KINDS} == told.put
    entity, vector = store.rows["entity"]["aby"]
    assert entity.aliases == ("Old Aby",)
    assert np.allclose(vector, towns.vectors("entity").vectors(["aby"])[0])
    relation, _ = store.rows["relation"]["r1"]
    assert (relation.subject, relation.object) == ("Aby", "Bro")
    community, vector = store.rows["community"]["c1"]
    assert community.entity_ids == ("aby", "bro")
    assert not any(vector), "a community without a report has no vector"


def test_a_server_in_step_is_told_nothing(towns: KnowledgeBase, server: MemoryStore) -> None:
    assert bring_in_step(towns, server) is None
    assert server.written() == set()


def test_what_is_written_again_as_it_was_is_not_told(
    towns: KnowledgeBase, server: MemoryStore, put: Put, publish: Publish
) -> None:
    put("s/1", "Aby", "Aby lies on the Ulm.")
    put_towns(towns, chunks_of(towns))
    put("s/3", "Cid", "Cid is new.")
    publish()
    bring_in_step(towns, server)
    [cid] = [chunk.id for chunk in chunks_of(towns) if chunk.doc_id == "s/3"]
    assert server.written() == {("put", "document", "s/3"), ("put", "chunk", cid)}


def test_a_replaced_document_takes_its_former_chunks_away(
    towns: KnowledgeBase, server: MemoryStore, put: Put, publish: Publish
) -> None:
    [before] = [chunk.id for chunk in chunks_of(towns) if chunk.doc_id == "s/2"]
    after = put("s/2", "Bro", "Bro has a harbour.")
    publish()
    bring_in_step(towns, server)
    written = server.written()
    assert {("put", "chunk", after.id), ("gone", "chunk", before)} <= written
    assert server.rows == fresh(towns).rows


def test_all_chunks_of_a_changed_document_are_told(kb: KnowledgeBase, publish: Publish) -> None:
    texts = ("First part.", "Second part.")
    chunks = [passage("s/1", "One", text) for text in texts]
    kb.put_document(Document("s/1", "One", " ".join(texts), "s"), chunks[:1])
    publish()
    server = fresh(kb)
    server.written()
    kb.put_document(Document("s/1", "One", "Other text.", "s"), chunks)
    publish()
    bring_in_step(kb, server)
    assert {id_ for _, kind, id_ in server.written() if kind == "chunk"} == {
        chunk.id for chunk in chunks
    }


def test_a_deleted_document_is_gone_with_its_chunks(
    towns: KnowledgeBase, server: MemoryStore, publish: Publish
) -> None:
    [chunk] = [chunk.id for chunk in chunks_of(towns) if chunk.doc_id == "s/2"]
    with towns.transaction():
        towns.delete_documents(["s/2"])
        towns.publish()
    bring_in_step(towns, server)
    assert server.written() == {("gone", "document", "s/2"), ("gone", "chunk", chunk)}


def test_relations_of_a_renamed_entity_are_told_anew(
    towns: KnowledgeBase, server: MemoryStore, publish: Publish
) -> None:
    put_towns(towns, chunks_of(towns), name="Abby")
    publish()
    bring_in_step(towns, server)
    assert server.written() == {("put", "entity", "aby"), ("put", "relation", "r1")}
    assert server.rows["relation"]["r1"][0].subject == "Abby"


def test_a_report_is_told_with_its_community_alone(
    towns: KnowledgeBase, server: MemoryStore, publish: Publish
) -> None:
    report = Community("", 0, "Towns", "Two.")
    towns.put_report("key", report, maker="m", usage=NodeUsage())
    publish()
    bring_in_step(towns, server)
    assert server.written() == {("put", "community", "c1")}
    assert any(server.rows["community"]["c1"][1])


@pytest.mark.parametrize("batches", range(6))
def test_a_publication_that_was_stopped_is_put_right_by_the_next(
    towns: KnowledgeBase, server: MemoryStore, put: Put, publish: Publish, batches: int
) -> None:
    put("s/3", "Cid", "Cid is new.")
    put_towns(towns, chunks_of(towns), name="Abby")
    publish()
    server.fail_after = batches
    before = server.state()
    try:
        bring_in_step(towns, server)
    except StoreError:
        assert server.state().generation == before.generation  # type: ignore[union-attr]
    server.fail_after = None
    with towns.transaction():
        towns.delete_documents(["s/3"])
        towns.publish()
    bring_in_step(towns, server)
    assert server.rows == fresh(towns).rows


def test_a_server_that_lost_rows_is_given_all(
    towns: KnowledgeBase, server: MemoryStore, put: Put, publish: Publish
) -> None:
    del server.rows["entity"]["cid"]
    told = bring_in_step(towns, server)
    assert told is not None
    assert told.repaired
    assert server.rows == fresh(towns).rows
    del server.rows["entity"]["cid"]
    put("s/3", "Cid", "Cid is new.")
    publish()
    told = bring_in_step(towns, server)
    assert told is not None
    assert told.repaired
    assert server.rows == fresh(towns).rows


def test_a_change_that_is_too_large_for_the_server_is_told_as_a_whole(
    towns: KnowledgeBase, server: MemoryStore, put: Put, publish: Publish
) -> None:
    server.largest_change = 1
    put("s/3", "Cid", "Cid is new.")
    publish()
    told = bring_in_step(towns, server)
    assert told is not None
    assert told.since is None
    assert not told.repaired
    assert server.rows == fresh(towns).rows


def test_vectors_of_another_embedder_replace_all(towns: KnowledgeBase, server: MemoryStore) -> None:
    other = HashingEmbedder(32)
    towns.change_embedder(other)
    texts = towns.texts_without_vectors()
    towns.put_embeddings(texts, other.embed(texts))
    towns.publish()
    told = bring_in_step(towns, server)
    assert told is not None
    assert told.since is None
    assert len(server.rows["chunk"][chunks_of(towns)[0].id][1]) == 32


class Turned(HashingEmbedder):
    """A later static model."""

    @property
    def name(self) -> str:
        return "later"

    def embed(self, texts: Sequence[str]) -> FloatArray:
        return -super().embed(texts)


class Distilled(HashingEmbedder):
    """An embedder with a static model."""

    def __init__(self) -> None:
        super().__init__()
        self.static = HashingEmbedder()


def put_one(kb: KnowledgeBase, embedder: Distilled, number: int) -> None:
    chunk = passage(f"s/{number}", "Aby", "Aby lies on the Ulm.")
    kb.put_document(Document(chunk.doc_id, chunk.title, chunk.text, "s"), [chunk])
    kb.replace_graph([Entity("aby", "Aby", "town", chunk_ids=(chunk.id,))], [], [])
    texts = kb.texts_without_vectors(read=False)
    kb.put_embeddings(texts, embedder.embed(texts))
    kb.publish()


def test_vectors_of_another_static_model_replace_all_and_nothing_is_told_twice(
    tmp_path: Path,
) -> None:
    embedder, server = Distilled(), MemoryStore()
    with KnowledgeBase.open(tmp_path / "distilled", embedder=embedder, create=True) as kb:
        put_one(kb, embedder, 1)
        bring_in_step(kb, server)
        before = server.rows["entity"]["aby"][1]
        embedder.static = Turned()
        kb.make_static_vectors_anew()
        kb.publish()
        told = bring_in_step(kb, server)
        assert told is not None
        assert told.since is None
        assert server.rows == fresh(kb).rows
        np.testing.assert_allclose(server.rows["entity"]["aby"][1], np.negative(before))
        assert bring_in_step(kb, server) is None
        put_one(kb, embedder, 2)
        told = bring_in_step(kb, server)
        assert told is not None
        assert told.put["document"] == 1


def test_another_base_of_that_name_is_refused(
    server: MemoryStore, tmp_path: Path, embedder: HashingEmbedder
) -> None:
    with KnowledgeBase.open(tmp_path / "other", embedder=embedder, create=True) as other:
        other.publish()
        with pytest.raises(StoreError, match="another base"):
            bring_in_step(other, server)


def test_changes_are_forgotten_once_every_server_has_them(
    towns: KnowledgeBase, server: MemoryStore, put: Put, publish: Publish
) -> None:
    put("s/3", "Cid", "Cid is new.")
    publish()
    bring_in_step(towns, server)
    towns.forget_changes(towns.newest_generation)
    put("s/4", "Dal", "Dal is newer.")
    publish()
    told = bring_in_step(towns, server)
    assert told is not None
    assert told.put["document"] == 1


def test_what_a_server_lacks_beside_items_is_mended_without_writing_any(
    towns: KnowledgeBase,
) -> None:
    server = LackingStore()
    bring_in_step(towns, server)
    server.lacking = "the index towns was not there"
    server.written()
    told = bring_in_step(towns, server)
    assert told is not None
    assert told.repaired == "the index towns was not there"
    assert server.written() == set()
    assert bring_in_step(towns, server) is None
