from __future__ import annotations

import numpy as np

from hoptrail.core.embedding import RememberingEmbedder
from hoptrail.testing import HashingEmbedder
from tests.embedders import CountingEmbedder


def test_only_what_is_new_is_embedded() -> None:
    inner = CountingEmbedder(16)
    embedder = RememberingEmbedder(inner, 10)
    embedder.embed(["Varde", "Ribe", "Varde"])
    vectors = embedder.embed(["Ribe", "Odense", "Varde"])
    assert inner.texts == ["Varde", "Ribe", "Odense"]
    np.testing.assert_array_equal(vectors, HashingEmbedder(16).embed(["Ribe", "Odense", "Varde"]))


def test_the_least_recently_used_is_forgotten() -> None:
    inner = CountingEmbedder(16)
    embedder = RememberingEmbedder(inner, 2)
    for text in ("Varde", "Ribe", "Varde", "Odense", "Varde", "Ribe"):
        embedder.embed([text])
    assert inner.texts == ["Varde", "Ribe", "Odense", "Ribe"]


def test_more_texts_than_are_remembered_are_all_embedded() -> None:
    texts = [f"town {number}" for number in range(5)]
    vectors = RememberingEmbedder(HashingEmbedder(16), 2).embed(texts)
    np.testing.assert_array_equal(vectors, HashingEmbedder(16).embed(texts))


def test_a_caller_cannot_change_what_is_remembered() -> None:
    embedder = RememberingEmbedder(HashingEmbedder(16), 2)
    before = embedder.embed(["Varde"])
    embedder.embed(["Varde"])[:] = 0
    np.testing.assert_array_equal(embedder.embed(["Varde"]), before)


def test_no_text_has_no_vector() -> None:
    assert RememberingEmbedder(HashingEmbedder(16), 2).embed([]).shape == (0, 16)
