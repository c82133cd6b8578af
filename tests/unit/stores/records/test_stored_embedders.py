"""A remote embedder is compared with the record when it is called, not when a base is opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.embedding import Embedder, FloatArray, RemoteEmbedder
from hoptrail.core.errors import EmbedderMismatchError, KnowledgeBaseError
from hoptrail.core.types import Document
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.stored_embedders import SharedEmbeddings
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.embedder import EmbedderContract
from tests.embedders import CountingEmbedder

TEXT = Document("s/edda", "Edda", "Edda Thornvale founded the Harbour Guild.", "s")


class Recorder(RemoteEmbedder):
    """Hash vectors behind the role of a remote embedder, each call kept."""

    def __init__(self, dim: int = 16, *, reads_backwards: bool = False) -> None:
        self.calls: list[list[str]] = []
        self._inner = HashingEmbedder(dim)
        self._reads_backwards = reads_backwards

    @property
    def name(self) -> str:
        return "recorder"

    @property
    def dim(self) -> int:
        return self._inner.dim

    def embed_each(self, texts: Sequence[str]) -> Iterator[tuple[list[int], FloatArray]]:
        yield list(range(len(texts))), self.embed_queries(texts)

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        self.calls.append(list(texts))
        told = [text[::-1] for text in texts] if self._reads_backwards else texts
        return self._inner.embed(told)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with KnowledgeBase.open(tmp_path / "kb", embedder=Recorder(), create=True) as kb:
        Indexer(kb).index([TEXT], IndexOptions(extractor="none"))
    return tmp_path / "kb"


@pytest.mark.parametrize("writable", [False, True])
def test_opening_and_running_over_what_is_known_calls_nothing(folder: Path, writable: bool) -> None:
    recorder = Recorder()
    with KnowledgeBase.open(folder, embedder=recorder, writable=writable) as kb:
        assert kb.embedder.dim == 16
        if writable:
            Indexer(kb).index([TEXT], IndexOptions(extractor="none"))
    assert recorder.calls == []


def test_a_question_is_one_call_and_is_remembered(folder: Path) -> None:
    recorder = Recorder()
    with KnowledgeBase.open(folder, embedder=recorder) as kb:
        kb.embed_query("Who founded it?")
        kb.embed_query("Who founded it?")
    assert recorder.calls == [["Who founded it?"]]


def test_what_the_base_has_a_vector_of_is_not_sent(folder: Path) -> None:
    recorder = Recorder()
    with KnowledgeBase.open(folder, embedder=recorder) as kb:
        kb.embed_texts([TEXT.text, "something new"])
        kb.embed_texts([TEXT.text, "something new"])
    assert recorder.calls == [["something new"]]


def test_a_question_of_another_length_is_refused(folder: Path) -> None:
    with KnowledgeBase.open(folder, embedder=Recorder(dim=24)) as kb:
        with pytest.raises(EmbedderMismatchError, match="16 dimensions, 'recorder' sends 24"):
            kb.embed_query("Who founded it?")


def test_another_model_of_the_same_name_is_found_before_anything_is_stored(folder: Path) -> None:
    more = Document("s/ines", "Ines", "Ines Marlow keeps the Tide Archive.", "s")
    recorder = Recorder(reads_backwards=True)
    with KnowledgeBase.open(folder, embedder=recorder, writable=True) as kb:
        with pytest.raises(EmbedderMismatchError, match="hoptrail reembed"):
            Indexer(kb).index([more], IndexOptions(extractor="none"))
        assert not kb.embeddings([more.text]).any()


def test_a_base_of_another_embedder_is_told_how_to_go_on(folder: Path) -> None:
    with pytest.raises(EmbedderMismatchError) as caught:
        KnowledgeBase.open(folder, embedder=HashingEmbedder())
    assert caught.value.hint.startswith("set HOPTRAIL_EMBEDDER=recorder, or embed it anew with:")


class TestSharedEmbeddings(EmbedderContract):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self.path = tmp_path / "vectors.sqlite"

    def make_embedder(self) -> Embedder:
        return SharedEmbeddings(HashingEmbedder(), self.path)


def test_a_text_is_embedded_once_however_many_ask(tmp_path: Path) -> None:
    counting = CountingEmbedder()
    for _ in range(2):
        shared = SharedEmbeddings(counting, tmp_path / "vectors.sqlite")
        counting.texts.clear()
        vectors = shared.embed(["Ada", "London", "Ada"])
        np.testing.assert_array_equal(vectors, HashingEmbedder().embed(["Ada", "London", "Ada"]))
    assert counting.texts == []


def test_vectors_of_another_model_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    SharedEmbeddings(HashingEmbedder(), path).embed(["Ada"])
    assert SharedEmbeddings(HashingEmbedder(32), path).embed(["Ada"]).shape == (1, 32)


def test_a_file_of_something_else_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    path.write_text("These are no vectors. " * 100)
    with pytest.raises(KnowledgeBaseError, match=r"vectors\.sqlite cannot be used"):
        SharedEmbeddings(HashingEmbedder(), path)
