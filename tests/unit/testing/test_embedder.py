from __future__ import annotations

import numpy as np

from hoptrail.core.embedding import Embedder
from hoptrail.testing import EmbedderContract, HashingEmbedder


class TestHashingEmbedder(EmbedderContract):
    def make_embedder(self) -> Embedder:
        return HashingEmbedder()


class TestWideHashingEmbedder(EmbedderContract):
    def make_embedder(self) -> Embedder:
        return HashingEmbedder(dim=1000)


def test_vectors_are_the_same_in_every_process() -> None:
    vector = HashingEmbedder(dim=8).embed(["Seine"])[0]
    np.testing.assert_array_equal(np.sign(vector), [-1, 1, 1, 1, 1, 1, 1, -1])


def test_more_shared_words_are_nearer() -> None:
    question, two, one = HashingEmbedder().embed(["red green", "red green blue", "red black blue"])
    assert float(question @ two) > float(question @ one)
