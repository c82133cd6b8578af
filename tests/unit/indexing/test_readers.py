"""Readers see the published generation, whole, while another one is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import UnknownNameError
from hoptrail.core.types import Document
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder

OPTIONS = IndexOptions(extractor="nlp")
DOCUMENTS = [
    Document("s/edda", "Edda Thornvale", "Edda Thornvale founded the Harbour Guild in 1888.", "s"),
    Document("s/oren", "Oren Pascoe", "Oren Pascoe joined the Harbour Guild in 1890.", "s"),
]
NEW_TEXT = "Edda Thornvale left the Harbour Guild. Ines Marlow keeps the Tide Archive."


class WatchedEmbedder(HashingEmbedder):
    """Calls `watch` whenever it has something to embed."""

    watch: Callable[[], object] = staticmethod(lambda: None)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.watch()
        return super().embed(texts)


@pytest.fixture
def embedder() -> WatchedEmbedder:
    return WatchedEmbedder()


@pytest.fixture
def base(tmp_path: Path, embedder: WatchedEmbedder) -> Path:
    with KnowledgeBase.open(tmp_path / "kb", embedder=embedder, create=True) as kb:
        Indexer(kb).index(DOCUMENTS, OPTIONS)
    return tmp_path / "kb"


def seen(folder: Path) -> list[object]:
    """Return everything that a reader finds by the ids of its arrays; none may be unknown."""
    with KnowledgeBase.open(folder) as kb:
        index, store = kb.index, kb.store
        chunks = store.chunks(index.chunk_ids.tolist())
        entities = store.entities(index.entity_ids.tolist())
        relations = store.relations(index.relation_ids.tolist())
        documents = store.documents(index.doc_ids.tolist())
        known = [len(chunks), len(entities), len(relations), len(documents)]
        ids = (index.chunk_ids, index.entity_ids, index.relation_ids, index.doc_ids)
        assert known == [len(part) for part in ids]
        return [index.generation, chunks, entities, relations, documents]


def write(
    folder: Path,
    embedder: WatchedEmbedder,
    work: Callable[[Indexer], object],
    watch: Callable[[], object] = lambda: None,
) -> None:
    with KnowledgeBase.open(folder, embedder=embedder, writable=True) as kb:
        embedder.watch = watch
        try:
            work(Indexer(kb))
        finally:
            embedder.watch = lambda: None


def replace_edda(indexer: Indexer) -> object:
    return indexer.index([Document("s/edda", "Edda", NEW_TEXT, "s")], OPTIONS)


def delete_edda(indexer: Indexer) -> object:
    return indexer.delete(["s/edda"])


@pytest.mark.parametrize("at_once", [512, 0])
def test_while_a_document_is_replaced_readers_see_what_it_said(
    base: Path, embedder: WatchedEmbedder, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr("hoptrail.indexing.pipeline._AT_ONCE", at_once)
    before = seen(base)
    states: list[list[object]] = []
    write(base, embedder, replace_edda, lambda: states.append(seen(base)))
    assert len(states) >= 2  # passages, graph
    assert all(state == before for state in states)
    after = seen(base)
    assert after[0] == 2
    assert NEW_TEXT in str(after)
    assert "founded the Harbour Guild" not in str(after)


def test_a_replacement_that_was_interrupted_leaves_readers_the_old_text(
    base: Path, embedder: WatchedEmbedder
) -> None:
    before = seen(base)

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(base, embedder, replace_edda, interrupt)
    assert seen(base) == before
    write(base, embedder, lambda indexer: indexer.delete(["s/oren"]))
    assert "founded the Harbour Guild" not in str(seen(base))


def test_an_interrupted_delete_did_nothing_and_can_be_repeated(
    base: Path, embedder: WatchedEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = seen(base)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):

        def interrupt(*_: object) -> None:
            assert seen(base) == before
            raise KeyboardInterrupt

        patched.setattr("hoptrail.indexing.pipeline.note_changes", interrupt)
        write(base, embedder, delete_edda)
    assert seen(base) == before
    write(base, embedder, delete_edda)
    after = seen(base)
    assert after[0] == 2
    assert "founded the Harbour Guild" not in str(after)
    with pytest.raises(UnknownNameError):
        write(base, embedder, delete_edda)


def test_nothing_of_what_was_replaced_or_deleted_stays_in_the_file(
    base: Path, embedder: WatchedEmbedder
) -> None:
    write(base, embedder, replace_edda)
    write(base, embedder, lambda indexer: indexer.delete(["s/oren"]))
    with KnowledgeBase.open(base) as kb, kb._database.read() as connection:  # noqa: SLF001
        assert connection.execute("SELECT count(*) FROM replaced_chunks").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM replaced_documents").fetchone() == (0,)


def test_the_writer_itself_shows_no_generation_that_was_undone(
    base: Path, embedder: WatchedEmbedder
) -> None:
    with KnowledgeBase.open(base, embedder=embedder, writable=True) as kb:
        with pytest.raises(ZeroDivisionError), kb.transaction():
            kb.delete_documents(["s/edda"])
            assert kb.publish() == 2
            raise ZeroDivisionError
        assert kb.generation == 1
        assert len(kb.index.doc_ids) == 2
