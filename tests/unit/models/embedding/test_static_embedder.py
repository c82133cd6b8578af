from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from hoptrail.models.embedding.static_embedder import StaticEmbedder, TokenVectors

VOCABULARY = {"[UNK]": 0, "River": 1, "Oskel": 2, "the": 3}


@pytest.fixture
def embedder(tmp_path: Path) -> StaticEmbedder:
    tokenizer = Tokenizer(WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.enable_truncation(1)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    vectors = TokenVectors(
        np.array([[0, 1], [2, 0], [0, 2], [1, 1]], dtype=np.int8),
        np.array([1, 1, 2, 0], dtype=np.float16),
        np.array([[1, 0, 0], [0, 1, 0]], dtype=np.float16),
    )
    return StaticEmbedder("small", lambda: vectors, tmp_path / "tokenizer.json")


def test_a_text_points_where_the_sum_of_its_tokens_does(embedder: StaticEmbedder) -> None:
    (vector,) = embedder.embed(["River Oskel"])
    assert vector == pytest.approx(np.array([2, 4, 0]) / np.sqrt(20))


def test_a_token_without_length_changes_nothing(embedder: StaticEmbedder) -> None:
    plain, longer = embedder.embed(["River Oskel", "the River Oskel"])
    assert plain == pytest.approx(longer)


def test_each_text_has_its_own_row_also_one_without_tokens(embedder: StaticEmbedder) -> None:
    vectors = embedder.embed(["River", "", "Oskel", "of"])
    assert vectors.tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0]]
    assert embedder.embed([]).shape == (0, embedder.dim)


def test_many_texts_are_embedded_as_one_by_one(embedder: StaticEmbedder) -> None:
    texts = [f"{'River ' * (place % 3)}Oskel" for place in range(2500)]
    one_by_one = np.concatenate([embedder.embed([text]) for text in texts[:3]])
    assert np.allclose(embedder.embed(texts)[2496:2499], one_by_one)


def test_what_is_saved_is_loaded_again(tmp_path: Path) -> None:
    vectors = TokenVectors(
        np.ones((3, 2), dtype=np.int8), np.ones(3, dtype=np.float16), np.eye(2, dtype=np.float16)
    )
    vectors.save(tmp_path / "vectors.npz")
    loaded = TokenVectors.load(tmp_path / "vectors.npz")
    assert loaded.coordinates.dtype == np.int8
    assert loaded.axes.tolist() == vectors.axes.tolist()


def test_other_vectors_have_another_name(tmp_path: Path) -> None:
    def name_with(coordinates: list[list[int]]) -> str:
        vectors = TokenVectors(
            np.array(coordinates, dtype=np.int8),
            np.ones(1, dtype=np.float16),
            np.eye(2, dtype=np.float16),
        )
        return StaticEmbedder("small", lambda: vectors, tmp_path / "tokenizer.json").name

    assert name_with([[0, 1]]) == name_with([[0, 1]]) != name_with([[0, 2]])
    assert name_with([[0, 1]]).startswith("small ")


def test_its_basis_spans_all_vectors(embedder: StaticEmbedder) -> None:
    vectors = embedder.embed(["River", "Oskel", "River Oskel"])
    basis = embedder.basis
    assert basis.shape == (3, 2)
    assert np.allclose(basis.T @ basis, np.eye(2), atol=1e-6)
    assert np.allclose(vectors @ basis @ basis.T, vectors, atol=1e-6)
