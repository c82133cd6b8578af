from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from hoptrail.agents.language.text_similarity import TextSimilarity, WordRarity
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


TEXTS = [frozenset({"river", "town"}), frozenset({"river"}), frozenset({"river", "mill"})]


def test_a_word_of_few_texts_is_rarer() -> None:
    rarity = WordRarity(TEXTS)
    assert rarity.of(["river"]) == pytest.approx(math.log(1 + 4 / 3))
    assert rarity.of(["town", "mill"]) == pytest.approx(2 * math.log(5))


def test_a_word_of_no_text_is_as_rare_as_any() -> None:
    assert WordRarity(TEXTS).of(["castle"]) == WordRarity(TEXTS).of(["mill"])
    assert WordRarity(TEXTS, smoothing=1).of(["castle"]) > WordRarity(TEXTS, 1).of(["mill"])


def test_a_share_counts_rare_words_more() -> None:
    share = WordRarity(TEXTS).share(frozenset({"river", "town"}), frozenset({"town", "mill"}))
    assert share == pytest.approx(math.log(5) / (math.log(5) + math.log(1 + 4 / 3)))


def test_of_nothing_wanted_nothing_is_present() -> None:
    assert WordRarity(TEXTS).share(frozenset(), frozenset({"river"})) == 0.0
