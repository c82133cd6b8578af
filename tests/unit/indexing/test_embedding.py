from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.core.types import Document
from hoptrail.indexing.filtering.filtered_base import build_filtered_base
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder

DOCUMENTS = [
    Document("s/1", "Oskel", "The Oskel is a river in Dorrin. Brackenholm lies on the Oskel.", "s"),
    Document("s/2", "Pascoe", "Oren Pascoe was born in Brackenholm.", "s"),
]
NLP = IndexOptions(extractor="nlp")


class RecordingEmbedder(HashingEmbedder):
    """Notes what it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.seen += texts
        return super().embed(texts)


class StaticEmbedder(RecordingEmbedder):
    """A static model of its own name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    @property
    def name(self) -> str:
        return self._name


class DistilledEmbedder(RecordingEmbedder):
    """An embedder with a static model."""

    def __init__(self, static_name: str = "static, first") -> None:
        super().__init__()
        self.static = StaticEmbedder(static_name)


@pytest.fixture
def embedder() -> DistilledEmbedder:
    return DistilledEmbedder()


@pytest.fixture
def kb(tmp_path: Path, embedder: DistilledEmbedder) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(tmp_path / "distilled", embedder=embedder, create=True) as kb:
        embedder.seen.clear()  # the text that tells embedders apart
        Indexer(kb).index(DOCUMENTS, NLP)
        yield kb


def test_the_static_model_embeds_what_was_read_and_the_embedder_the_rest(
    kb: KnowledgeBase, embedder: DistilledEmbedder
) -> None:
    assert sorted(embedder.seen) == [f"{one.title}\n{one.text}" for one in DOCUMENTS]
    assert {"Brackenholm", "Oren Pascoe was born in Brackenholm."} <= set(embedder.static.seen)
    assert len(kb.vectors("entity")) == len(kb.index.entity_ids)
    assert kb.static_model == "static, first"


def test_a_document_more_embeds_only_what_is_new(
    kb: KnowledgeBase, embedder: DistilledEmbedder
) -> None:
    embedder.seen.clear()
    embedder.static.seen.clear()
    Indexer(kb).index([Document("s/3", "Dorrin", "Dorrin borders on Averil.", "s")], NLP)
    assert embedder.seen == ["Dorrin\nDorrin borders on Averil."]
    assert "Averil" in embedder.static.seen
    assert "Brackenholm" not in embedder.static.seen


def test_reembedding_without_the_static_model_makes_all_vectors_full(kb: KnowledgeBase) -> None:
    full = RecordingEmbedder()
    Indexer(kb).reembed(full)
    assert "Brackenholm" in full.seen
    assert kb.static_model is None
    full.seen.clear()
    Indexer(kb).reembed(full)
    assert "Brackenholm" not in full.seen


@pytest.fixture
def later(kb: KnowledgeBase, tmp_path: Path) -> Iterator[tuple[KnowledgeBase, DistilledEmbedder]]:
    """The base with an embedder whose static model is a later one."""
    kb.close()
    embedder = DistilledEmbedder("static, second")
    with KnowledgeBase.open(tmp_path / "distilled", embedder=embedder, writable=True) as kb:
        yield kb, embedder


def test_a_later_static_model_leaves_what_is_there_and_embeds_what_is_added(
    later: tuple[KnowledgeBase, DistilledEmbedder],
) -> None:
    kb, embedder = later
    Indexer(kb).index([Document("s/3", "Dorrin", "Dorrin borders on Averil.", "s")], NLP)
    assert "Averil" in embedder.static.seen
    assert "Brackenholm" not in embedder.static.seen
    assert len(kb.vectors("entity")) == len(kb.index.entity_ids)
    assert kb.static_model == "static, first"


def test_reembedding_with_a_later_static_model_makes_all_its_vectors_anew(
    later: tuple[KnowledgeBase, DistilledEmbedder],
) -> None:
    kb, embedder = later
    embedder.seen.clear()
    Indexer(kb).reembed(embedder)
    assert {"Brackenholm", "Oren Pascoe was born in Brackenholm."} <= set(embedder.static.seen)
    assert not any(one.text in text for one in DOCUMENTS for text in embedder.seen)
    assert kb.static_model == "static, second"
    embedder.static.seen.clear()
    Indexer(kb).reembed(embedder)
    assert not embedder.static.seen


def test_reembedding_makes_vectors_anew_of_a_version_that_did_not_note_its_static_model(
    kb: KnowledgeBase, embedder: DistilledEmbedder
) -> None:
    kb.note_static_model("")
    assert kb.static_model == ""
    embedder.static.seen.clear()
    Indexer(kb).reembed(embedder)
    assert "Brackenholm" in embedder.static.seen
    assert kb.static_model == "static, first"


def test_a_bare_graph_keeps_vectors_of_the_embedder(
    tmp_path: Path, embedder: DistilledEmbedder
) -> None:
    (tmp_path / "facts.txt").write_text("Oskel|flows through|Dorrin\n")
    with KnowledgeBase.open(tmp_path / "graph", embedder=embedder, create=True) as kb:
        embedder.seen.clear()
        Indexer(kb).index([], IndexOptions(extractor="none", triples=(tmp_path / "facts.txt",)))
    assert sorted(embedder.seen) == ["Dorrin", "Oskel", "flows through"]
    assert not embedder.static.seen


def test_the_base_of_a_filter_has_the_same_vectors(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = tmp_path / "part"
    folder.mkdir()
    build_filtered_base(kb, folder, ["s/2"])
    with KnowledgeBase.open(folder) as part:
        ids = part.index.entity_ids
        assert len(part.vectors("entity")) == len(ids) > 0
        assert np.allclose(part.vectors("entity").vectors(ids), kb.vectors("entity").vectors(ids))
