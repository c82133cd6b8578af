"""Sources with vectors in Milvus pass what every source passes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hoptrail.core.settings import ServedBase
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.services.serving_stores import open_source, publish_to_stores
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.stores.milvus.connection import Connection
from hoptrail.stores.milvus.store import MilvusStore
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import bring_in_step
from hoptrail.stores.served_vectors import FolderSource
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.contracts import KnowledgeSourceContract
from tests.servers import fixtures
from tests.servers.bases import TownBase

pytestmark = pytest.mark.slow


class _WithAFolder(KnowledgeSourceContract):
    """The graph is the folder's."""

    address: ClassVar[str]

    def publish(self, kb: KnowledgeBase) -> None:
        store = MilvusStore.open(self.address, self.served_name(kb))
        try:
            bring_in_step(kb, store)
        finally:
            store.close()

    def withdraw(self, kb: KnowledgeBase) -> None:
        store = MilvusStore.open(self.address, self.served_name(kb))
        store.remove()
        store.close()

    @contextmanager
    def serving(self, kb: KnowledgeBase) -> Iterator[KnowledgeSource]:
        open_store = partial(MilvusStore.open, self.address, self.served_name(kb))
        with KnowledgeBase.open(kb.path, embedder=HashingEmbedder()) as records:
            source = FolderSource(records, open_store, self.address)
            try:
                yield source
            finally:
                source.close()


class TestAFolderWithAServer(_WithAFolder):
    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def _server(cls, url: str) -> None:
        cls.address = url


class TestAFolderWithMilvusLite(_WithAFolder):
    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def _file(cls, tmp_path_factory: pytest.TempPathFactory) -> None:
        pytest.importorskip("milvus_lite", reason="hoptrail[milvus-lite] is not installed")
        cls.address = str(tmp_path_factory.mktemp("lite") / "vectors.db")

    @staticmethod
    def served_name(kb: KnowledgeBase) -> str:
        return f'a "base" {KnowledgeSourceContract.served_name(kb)}'


class TestAGraphInNeo4jWithVectorsInMilvus(KnowledgeSourceContract):
    # Words are found by Neo4j's full text, and their vectors are those of passages.
    same_retrievers: ClassVar[frozenset[str]] = frozenset(RETRIEVERS) - {"bm25", "ket"}
    servers: ClassVar[ServedBase]

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def _servers(cls, url: str) -> Iterator[None]:
        neo4j = fixtures.shared_neo4j("lts")
        cls.servers = ServedBase(records=Path("unused"), graph=neo4j.uri, vectors=url)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("NEO4J_USERNAME", neo4j.user)
            patch.setenv("NEO4J_PASSWORD", neo4j.password)
            yield

    def publish(self, kb: KnowledgeBase) -> None:
        reports = publish_to_stores(kb, self.served_name(kb), self.servers)
        assert [report.error for report in reports] == [None, None]

    def withdraw(self, kb: KnowledgeBase) -> None:
        name = self.served_name(kb)
        for store in (
            MilvusStore.open(str(self.servers.vectors), name),
            Neo4jStore.open(str(self.servers.graph), name),
        ):
            store.remove()
            store.close()

    @contextmanager
    def serving(self, kb: KnowledgeBase) -> Iterator[KnowledgeSource]:
        source, connections = open_source(kb, self.served_name(kb), self.servers)
        with connections:
            yield source


def test_a_question_is_one_round_of_searches(
    towns: TownBase, url: str, name: str, store: MilvusStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a base of which the nearest are all there is."""
    bring_in_step(towns.kb, store)
    searches: list[str] = []
    search = Connection.search

    def counted(self: Connection, collection: str, *args: Any) -> Any:
        searches.append(collection)
        return search(self, collection, *args)

    monkeypatch.setattr(Connection, "search", counted)
    with KnowledgeBase.open(towns.kb.path, embedder=towns.embedder) as records:
        source = FolderSource(records, partial(MilvusStore.open, url, name), url)
        for retriever, kinds in (("vector", 1), ("ppr", 3), ("setwise", 3), ("pathrag", 3)):
            searches.clear()
            make_retriever(retriever, source).retrieve(f"What lies next to Town 1, {retriever}?")
            assert len(set(searches)) == len(searches) == kinds
        source.close()
