from __future__ import annotations

from collections.abc import Sequence

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
