from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hoptrail.core.budget import Limits, Meter, booking_to
from hoptrail.core.errors import StoreError
from hoptrail.core.progress import NoProgress
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.stores.served_vectors import FolderSource
from hoptrail.stores.snapshot.vector_rows import VectorRows
from tests.servers.bases import TownBase
from tests.unit.stores.memory_vectors import MemoryVectors, MemoryVectorStore

QUESTION = "What lies next to Town 3?"


@pytest.fixture
def towns(tmp_path: Path) -> Iterator[TownBase]:
    towns = TownBase(tmp_path / "kb", towns=12)
    with towns.kb:
        yield towns


@pytest.fixture
def store(towns: TownBase) -> MemoryVectorStore:
    return MemoryVectorStore(MemoryVectors(towns.kb.change(None)))


@pytest.fixture
def records(towns: TownBase) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(towns.kb.path, embedder=towns.embedder) as opened:
        yield opened


@pytest.fixture
def source(records: KnowledgeBase, store: MemoryVectorStore) -> FolderSource:
    return FolderSource(records, lambda: store, "http://host:19530")


def passages(source: KnowledgeSource, retriever: str = "vector") -> list[str]:
    found = make_retriever(retriever, source).retrieve(QUESTION)
    return [hit.item.id for hit in found.chunks]


def told(ask: Callable[[], object]) -> list[str]:
    meter = Meter("test", Limits())
    with booking_to(meter):
        ask()
    return meter.notes


@pytest.mark.parametrize("retriever", sorted(RETRIEVERS))
def test_every_retriever_finds_what_it_finds_over_the_folder(
    source: FolderSource, towns: TownBase, retriever: str
) -> None:
    assert passages(source, retriever) == passages(towns.kb, retriever)


def test_a_question_is_one_round(source: FolderSource, store: MemoryVectorStore) -> None:
    assert told(lambda: passages(source)) == []
    assert store.shows.rounds == ["nearest chunk"]
    store.shows.rounds.clear()
    passages(source, "setwise")
    assert store.shows.rounds == ["nearest entity relation"], "the passages are known"


def test_a_silent_server_is_told_and_the_folder_answers(
    source: FolderSource,
    store: MemoryVectorStore,
    towns: TownBase,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store.shows.is_silent = True
    expected = passages(towns.kb)
    assert told(lambda: passages(source)) == [
        "vectors were read from the folder: the server does not answer"
    ]
    assert passages(source) == expected
    store.shows.is_silent = False
    assert told(lambda: passages(source)) == [
        "vectors were read from the folder: http://host:19530 did not answer"
    ]
    assert store.shows.rounds == [], "it is not asked again at once"
    monkeypatch.setattr(source, "_silent_until", 0.0)
    assert told(lambda: passages(source)) == []
    assert store.shows.rounds == ["nearest chunk"]


def test_a_server_that_cannot_be_reached_is_told(records: KnowledgeBase, towns: TownBase) -> None:
    def absent() -> MemoryVectorStore:
        raise StoreError("http://host:19530 does not answer")

    source = FolderSource(records, absent, "http://host:19530")
    assert passages(source) == passages(towns.kb)
    [line] = told(lambda: passages(source, "ppr"))
    assert "did not answer" in line


def test_another_generation_is_told_until_it_is_shown(
    source: FolderSource, store: MemoryVectorStore, towns: TownBase
) -> None:
    passages(source)
    towns.say(3, "Town 3 lies next to a lake now.")
    towns.publish()
    assert source.refresh()
    expected = passages(towns.kb)
    [line] = told(lambda: passages(source))
    assert line.endswith(f"http://host:19530 does not show generation {source.generation}")
    assert passages(source) == expected
    store.publish(towns.kb.change(None), NoProgress())
    assert told(lambda: passages(source)) == []
    assert passages(source) == expected
    assert store.shows.rounds


def test_the_folders_vectors_are_not_read(
    source: FolderSource, records: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: object) -> None:
        raise AssertionError("a vector of the folder was read")

    for method in ("products", "products_at", "vectors"):
        monkeypatch.setattr(VectorRows, method, read)
    for retriever in sorted(set(RETRIEVERS) - {"ket"}):  # which searches vectors of words
        passages(source, retriever)
