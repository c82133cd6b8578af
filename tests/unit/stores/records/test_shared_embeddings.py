from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.embedding import Embedder, FloatArray
from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.stores.records.stored_embedders import SharedEmbeddings
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.embedder import EmbedderContract


class CountingEmbedder(HashingEmbedder):
    """Remembers what it was asked to embed."""

    def __init__(self, dim: int = 64) -> None:
        super().__init__(dim)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.asked += texts
        return super().embed(texts)


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
        counting.asked.clear()
        vectors = shared.embed(["Ada", "London", "Ada"])
        np.testing.assert_array_equal(vectors, HashingEmbedder().embed(["Ada", "London", "Ada"]))
    assert counting.asked == []


def test_vectors_of_another_model_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    SharedEmbeddings(HashingEmbedder(), path).embed(["Ada"])
    assert SharedEmbeddings(HashingEmbedder(32), path).embed(["Ada"]).shape == (1, 32)


def test_a_file_of_something_else_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    path.write_text("These are no vectors. " * 100)
    with pytest.raises(KnowledgeBaseError, match=r"vectors\.sqlite cannot be used"):
        SharedEmbeddings(HashingEmbedder(), path)
