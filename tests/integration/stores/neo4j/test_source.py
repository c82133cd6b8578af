from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, TypeVar

import pytest

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

    url: ClassVar[str]

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def _server(cls, url: str) -> None:
        cls.url = url

    @contextmanager
    def store_of(self, kb: KnowledgeBase) -> Iterator[Neo4jStore]:
        store = Neo4jStore.open(self.url, self.served_name(kb))
        try:
            yield store
        finally:
            store.close()

    def publish(self, kb: KnowledgeBase) -> None:
        with self.store_of(kb) as store:
            bring_in_step(kb, store, NoProgress())

    def withdraw(self, kb: KnowledgeBase) -> None:
        with self.store_of(kb) as store:
            store.remove()

    @contextmanager
    def serving(self, kb: KnowledgeBase) -> Iterator[KnowledgeSource]:
        with self.store_of(kb) as store:
            yield store.source(HashingEmbedder())


def test_a_question_takes_six_round_trips_at_most(
    shown: TownBase, shown_store: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = shown_store.source(shown.embedder)
    asked = _count_statements(monkeypatch)
    for name in sorted(RETRIEVERS):
        asked.clear()
        make_retriever(name, source).retrieve(f"What lies next to Town 1, {name}?")
        assert 1 <= len(asked) <= MOST_ROUND_TRIPS


def test_what_was_read_for_one_question_is_not_read_for_the_next(
    shown: TownBase, shown_store: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = shown_store.source(shown.embedder)
    retriever = make_retriever("ppr", source)
    retriever.retrieve("What lies next to Town 1?")
    asked = _count_statements(monkeypatch)
    retriever.retrieve("Which town lies next to Town 1?")
    assert len(asked) == 1


def _count_statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows with each transaction that reads."""
    asked: list[str] = []
    reading = Connection.reading

    def counted(self: Connection, work: Callable[[ManagedTransaction], T]) -> T:
        asked.append(self.address.uri)
        return reading(self, work)

    monkeypatch.setattr(Connection, "reading", counted)
    return asked


def test_entities_are_matched_by_a_part_of_their_names(
    shown: TownBase, shown_store: Neo4jStore
) -> None:
    found = shown_store.source(shown.embedder).store.match_entities("town 3", 5)
    assert found == shown.kb.store.match_entities("town 3", 5) != []
