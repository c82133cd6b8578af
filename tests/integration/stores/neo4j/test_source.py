from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, TypeVar

import pytest

from hoptrail.core.errors import EmbedderMismatchError, StoreError
from hoptrail.core.progress import NoProgress
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.stores.neo4j.connection import Connection
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import bring_in_step
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.contracts import KnowledgeSourceContract
from tests.servers.bases import TownBase

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

T = TypeVar("T")
MOST_ROUND_TRIPS = 6


class TestABaseInNeo4j(KnowledgeSourceContract):
    """A base on a real server answers as its folder does."""

    # Words are found by the server's full text, and their vectors are those of passages.
    same_retrievers: ClassVar[frozenset[str]] = frozenset(RETRIEVERS) - {"bm25", "ket"}

    @pytest.fixture(autouse=True)
    def _server(self, url: str) -> Iterator[None]:
        self.url, self.base = url, f"b{uuid.uuid4().hex[:12]}"
        yield
        store = Neo4jStore.open(url, self.base)
        store.remove()
        store.close()

    def publish(self, kb: KnowledgeBase) -> None:
        store = Neo4jStore.open(self.url, self.base)
        try:
            bring_in_step(kb, store, NoProgress())
        finally:
            store.close()

    @contextmanager
    def serving(self, kb: KnowledgeBase) -> Iterator[KnowledgeSource]:
        store = Neo4jStore.open(self.url, self.base)
        try:
            yield store.source(HashingEmbedder())
        finally:
            store.close()


def test_a_question_takes_six_round_trips_at_most(
    towns: TownBase, store: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring_in_step(towns.kb, store, NoProgress())
    source = store.source(towns.embedder)
    asked = _count_statements(monkeypatch)
    for name in sorted(RETRIEVERS):
        asked.clear()
        make_retriever(name, source).retrieve(f"What lies next to Town 1, {name}?")
        assert 1 <= len(asked) <= MOST_ROUND_TRIPS


def test_what_was_read_for_one_question_is_not_read_for_the_next(
    towns: TownBase, store: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring_in_step(towns.kb, store, NoProgress())
    source = store.source(towns.embedder)
    retriever = make_retriever("ppr", source)
    retriever.retrieve("What lies next to Town 1?")
    asked = _count_statements(monkeypatch)
    retriever.retrieve("Which town lies next to Town 1?")
    assert len(asked) == 1


def test_a_base_that_was_never_published_says_how_to_publish_it(store: Neo4jStore) -> None:
    with pytest.raises(StoreError, match="has no base"):
        store.source(HashingEmbedder())


def test_another_embedder_is_refused(towns: TownBase, store: Neo4jStore) -> None:
    bring_in_step(towns.kb, store, NoProgress())
    with pytest.raises(EmbedderMismatchError):
        store.source(HashingEmbedder(dim=32))


def _count_statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows with each transaction that reads."""
    asked: list[str] = []
    reading = Connection.reading

    def counted(self: Connection, work: Callable[[ManagedTransaction], T]) -> T:
        asked.append(self.address.uri)
        return reading(self, work)

    monkeypatch.setattr(Connection, "reading", counted)
    return asked


def test_entities_are_matched_by_a_part_of_their_names(towns: TownBase, store: Neo4jStore) -> None:
    bring_in_step(towns.kb, store, NoProgress())
    found = store.source(towns.embedder).store.match_entities("town 3", 5)
    assert found == towns.kb.store.match_entities("town 3", 5) != []
