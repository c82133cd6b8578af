from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.core.settings import Price
from hoptrail.core.types import Document
from hoptrail.indexing.embedding import forecast_embedding
from hoptrail.indexing.filtered_base import build_filtered_base
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.stored_values import packed
from hoptrail.testing import HashingEmbedder
from tests.embedders import CountingEmbedder

DOCUMENTS = [
    Document("s/1", "Oskel", "The Oskel is a river in Dorrin. Brackenholm lies on the Oskel.", "s"),
    Document("s/2", "Pascoe", "Oren Pascoe was born in Brackenholm.", "s"),
]
NLP = IndexOptions(extractor="nlp")


class StaticEmbedder(CountingEmbedder):
    """A static model of its own name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    @property
    def name(self) -> str:
        return self._name


class DistilledEmbedder(CountingEmbedder):
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
        embedder.texts.clear()  # the text that tells embedders apart
        Indexer(kb).index(DOCUMENTS, NLP)
        yield kb


def test_the_static_model_embeds_what_was_read_and_the_embedder_the_rest(
    kb: KnowledgeBase, embedder: DistilledEmbedder
) -> None:
    assert sorted(embedder.texts) == [f"{one.title}\n{one.text}" for one in DOCUMENTS]
    assert {"Brackenholm", "Oren Pascoe was born in Brackenholm."} <= set(embedder.static.texts)
    assert len(kb.vectors("entity")) == len(kb.index.entity_ids)
    assert kb.static_model == "static, first"


def test_a_document_more_embeds_only_what_is_new(
    kb: KnowledgeBase, embedder: DistilledEmbedder
) -> None:
    embedder.texts.clear()
    embedder.static.texts.clear()
    Indexer(kb).index([Document("s/3", "Dorrin", "Dorrin borders on Averil.", "s")], NLP)
    assert embedder.texts == ["Dorrin\nDorrin borders on Averil."]
    assert "Averil" in embedder.static.texts
    assert "Brackenholm" not in embedder.static.texts


def test_reembedding_without_the_static_model_makes_all_vectors_full(kb: KnowledgeBase) -> None:
    full = CountingEmbedder()
    Indexer(kb).reembed(full)
    assert "Brackenholm" in full.texts
    assert kb.static_model is None
    full.texts.clear()
    Indexer(kb).reembed(full)
    assert "Brackenholm" not in full.texts


@pytest.fixture
def full(kb: KnowledgeBase) -> Iterator[KnowledgeBase]:
    """The base with the embedder alone, which has no static model any more."""
    kb.close()
    with KnowledgeBase.open(kb.path, embedder=HashingEmbedder(), writable=True) as opened:
        yield opened


def test_a_document_more_without_the_static_model_makes_all_vectors_full(
    full: KnowledgeBase,
) -> None:
    Indexer(full).index([Document("s/3", "Dorrin", "Dorrin borders on Averil.", "s")], NLP)
    assert len(full.vectors("entity")) == len(full.index.entity_ids)
    assert len(full.vectors("word")) == len(full.lexicon.words)


def test_a_deletion_without_the_static_model_makes_all_vectors_full(full: KnowledgeBase) -> None:
    Indexer(full).delete(["s/2"])
    assert len(full.vectors("entity")) == len(full.index.entity_ids) > 0
    assert len(full.vectors("word")) == len(full.lexicon.words)


@pytest.fixture
def later(kb: KnowledgeBase, tmp_path: Path) -> Iterator[tuple[KnowledgeBase, DistilledEmbedder]]:
    """The base with an embedder whose static model is a later one."""
    kb.close()
    embedder = DistilledEmbedder("static, second")
    with KnowledgeBase.open(tmp_path / "distilled", embedder=embedder, writable=True) as kb:
        yield kb, embedder


def test_with_a_later_static_model_all_its_vectors_are_made_anew(
    later: tuple[KnowledgeBase, DistilledEmbedder],
) -> None:
    kb, embedder = later
    embedder.texts.clear()
    Indexer(kb).index([Document("s/3", "Dorrin", "Dorrin borders on Averil.", "s")], NLP)
    assert {"Averil", "Brackenholm"} <= set(embedder.static.texts)
    assert embedder.texts == ["Dorrin\nDorrin borders on Averil."]
    assert len(kb.vectors("entity")) == len(kb.index.entity_ids)
    assert kb.static_model == "static, second"


def test_reembedding_with_a_later_static_model_makes_all_its_vectors_anew(
    later: tuple[KnowledgeBase, DistilledEmbedder],
) -> None:
    kb, embedder = later
    embedder.texts.clear()
    Indexer(kb).reembed(embedder)
    assert {"Brackenholm", "Oren Pascoe was born in Brackenholm."} <= set(embedder.static.texts)
    assert not any(one.text in text for one in DOCUMENTS for text in embedder.texts)
    assert kb.static_model == "static, second"
    embedder.static.texts.clear()
    Indexer(kb).reembed(embedder)
    assert not embedder.static.texts


def stored(kb: KnowledgeBase) -> int:
    with closing(sqlite3.connect(kb.path / "hoptrail.sqlite")) as connection:
        (rows,) = connection.execute("SELECT count(*) FROM embeddings").fetchone()
    return int(rows)


def test_vectors_of_the_static_model_are_not_stored(kb: KnowledgeBase) -> None:
    assert stored(kb) == len(DOCUMENTS)


def test_static_vectors_that_an_older_version_stored_are_dropped_when_all_is_built(
    kb: KnowledgeBase, embedder: DistilledEmbedder
) -> None:
    wanted = kb.vectors("entity").vectors(kb.index.entity_ids)
    vectors = packed(embedder.static.embed(["Brackenholm", "Oren Pascoe"]))
    kb.close()
    with closing(sqlite3.connect(kb.path / "hoptrail.sqlite")) as connection, connection:
        rows = [("0" * 31 + str(place), row.tobytes()) for place, row in enumerate(vectors)]
        connection.executemany("INSERT INTO embeddings VALUES (1, ?, ?)", rows)
    with KnowledgeBase.open(kb.path, embedder=embedder, writable=True) as kb:
        kb.make_static_vectors_anew()
        kb.publish()
        assert stored(kb) == len(DOCUMENTS)
        assert np.array_equal(kb.vectors("entity").vectors(kb.index.entity_ids), wanted)


def test_published_vectors_of_the_static_model_are_found_by_their_text(
    kb: KnowledgeBase, embedder: DistilledEmbedder
) -> None:
    texts = ["Brackenholm", "Oren Pascoe was born in Brackenholm.", "Of this nobody wrote."]
    embedder.texts.clear()
    embedder.static.texts.clear()
    found = kb.embed_texts(texts)
    assert embedder.texts == texts[2:]
    assert not embedder.static.texts
    np.testing.assert_allclose(found, HashingEmbedder().embed(texts), atol=1e-2)
    assert kb.embeddings(texts).any(axis=1).tolist() == [True, True, False]


def test_arrays_that_are_gone_are_built_again_with_the_static_model(
    kb: KnowledgeBase, embedder: DistilledEmbedder
) -> None:
    wanted = kb.vectors("word").vectors(kb.lexicon.words)
    kb.close()
    shutil.rmtree(kb.path / "cache")
    with KnowledgeBase.open(kb.path) as reader:  # without an embedder, for itself alone
        assert len(reader.vectors("entity")) == 0 < len(reader.index.entity_ids)
        assert not list((kb.path / "cache").iterdir())
    with KnowledgeBase.open(kb.path, embedder=embedder) as reader:
        assert np.array_equal(reader.vectors("word").vectors(reader.lexicon.words), wanted)
        assert list((kb.path / "cache").iterdir())


def test_nothing_new_is_published_without_the_static_model(kb: KnowledgeBase) -> None:
    kb.close()
    with KnowledgeBase.open(kb.path, writable=True) as kb:
        kb.delete_documents(["s/2"])
        with pytest.raises(KnowledgeBaseError, match="embedder"):
            kb.publish()


def test_a_copy_to_try_something_out_on_is_published_without_the_static_model(
    kb: KnowledgeBase,
) -> None:
    kb.delete_documents(["s/2"])
    with kb.private_copy() as copy:
        copy.publish()
        assert list(copy.index.doc_ids) == ["s/1"]
    assert kb.static_model == "static, first"


def test_a_bare_graph_keeps_vectors_of_the_embedder(
    tmp_path: Path, embedder: DistilledEmbedder
) -> None:
    (tmp_path / "facts.txt").write_text("Oskel|flows through|Dorrin\n")
    with KnowledgeBase.open(tmp_path / "graph", embedder=embedder, create=True) as kb:
        embedder.texts.clear()
        Indexer(kb).index([], IndexOptions(extractor="none", triples=(tmp_path / "facts.txt",)))
    assert sorted(embedder.texts) == ["Dorrin", "Oskel", "flows through"]
    assert not embedder.static.texts


def test_the_base_of_a_filter_has_the_same_vectors(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = tmp_path / "part"
    folder.mkdir()
    build_filtered_base(kb, folder, ["s/2"])
    with KnowledgeBase.open(folder) as part:
        ids = part.index.entity_ids
        assert len(part.vectors("entity")) == len(ids) > 0
        assert np.allclose(part.vectors("entity").vectors(ids), kb.vectors("entity").vectors(ids))


NAME = "openai:text-embedding-3-small"


def test_equal_texts_are_forecast_once() -> None:
    once = forecast_embedding(["a river", "a town"], NAME, {})
    assert forecast_embedding(["a river", "a town", "a river"], NAME, {}) == once
    assert (once.texts, once.calls) == (2, 1)


def test_dollars_follow_the_tokens() -> None:
    forecast = forecast_embedding(["river " * 1000], NAME, {NAME: Price(prompt=2.0)})
    assert forecast.usd == pytest.approx(forecast.tokens * 2e-6)


def test_a_graph_that_is_not_extracted_yet_is_part_of_it() -> None:
    without = forecast_embedding(["a river"], NAME, {})
    forecast = forecast_embedding(["a river"], NAME, {}, graph_tokens=10_000)
    assert forecast.tokens > without.tokens + 5_000
    assert forecast.texts > without.texts + 500


def test_an_unknown_price_is_not_nothing() -> None:
    assert forecast_embedding(["a river"], "somebody:model", {}).usd is None


def test_where_nothing_is_sent_it_costs_nothing() -> None:
    forecast = forecast_embedding([], "somebody:model", {})
    assert (forecast.calls, forecast.usd) == (0, 0.0)
