from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.core.embedding import FloatArray
from hoptrail.testing import HashingEmbedder


def test_each_text_is_embedded_once() -> None:
    seen: list[str] = []

    def embed(texts: Sequence[str]) -> FloatArray:
        seen.extend(texts)
        return HashingEmbedder().embed(texts)

    similarity = TextSimilarity(embed)
    first = similarity.to("the mill", ["the mill", "a ship"])
    second = similarity.to("the mill", ["a ship"])

    assert first == [pytest.approx(1.0, abs=1e-5), second[0]]
    assert seen == ["the mill", "a ship"]


def test_without_an_embedder_nothing_is_alike() -> None:
    assert TextSimilarity().to("the mill", ["the mill"]) == [0.0]


def test_a_word_that_is_roughly_far_off_is_not_embedded() -> None:
    seen: list[str] = []

    def embed(texts: Sequence[str]) -> FloatArray:
        seen.extend(texts)
        return HashingEmbedder().embed(texts)

    def embed_roughly(texts: Sequence[str]) -> FloatArray:
        return np.eye(2, dtype=np.float32)[[int(text == "ship") for text in texts]]

    near = TextSimilarity(embed, embed_roughly).words_near("mill", ["mills", "ship"])

    assert list(near) == ["mills"]
    assert seen == ["mill", "mills"]


def test_without_a_rough_embedder_every_word_may_be_near() -> None:
    near = TextSimilarity(HashingEmbedder().embed).words_near("mill", ["mills", "ship"])
    assert list(near) == ["mills", "ship"]
