from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.stores.records.packed_vectors import packed
from hoptrail.stores.snapshot.graph_index import Csr
from hoptrail.stores.snapshot.vector_index import WordVectorIndex
from hoptrail.stores.snapshot.vector_rows import VectorRows

WORDS = np.array(["bridge", "lake", "river", "zinc"])
HOLDING = [[0, 3], [1, 2, 4], [4], []]


@pytest.fixture
def sentences() -> FloatArray:
    drawn = np.random.default_rng(2).standard_normal((5, 16)).astype(np.float32)
    units: FloatArray = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return units


@pytest.fixture
def means(sentences: FloatArray) -> FloatArray:
    sums = np.array([sentences[rows].sum(axis=0) for rows in HOLDING], dtype=np.float32)
    found: FloatArray = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    return found


@pytest.fixture
def index(sentences: FloatArray) -> WordVectorIndex:
    starts = np.array([0, 2, 5, 6, 6], dtype=np.int32)
    holders = Csr(starts, np.array(sum(HOLDING, []), dtype=np.int32))
    lengths = [np.linalg.norm(sentences[rows].sum(axis=0)) for rows in HOLDING]
    return WordVectorIndex(
        WORDS, VectorRows(sentences), holders, np.array(lengths, dtype=np.float32)
    )


def test_a_word_has_the_mean_of_its_sentences(index: WordVectorIndex, means: FloatArray) -> None:
    np.testing.assert_allclose(index.vectors(WORDS), means, atol=1e-6)
    assert (index.vectors(["unknown"]) == 0).all()
    assert index.dim == 16
    assert len(index) == 3
    assert index.has_vector.tolist() == [True, True, True, False]


def test_the_nearest_words_come_first_and_one_without_a_sentence_never(
    index: WordVectorIndex, means: FloatArray
) -> None:
    query = means[1]
    ids, scores = index.search(query, 9)
    order = np.argsort(-(means[:3] @ query))
    assert ids.tolist() == WORDS[order].tolist()
    np.testing.assert_allclose(scores, np.sort(means[:3] @ query)[::-1], atol=1e-5)
    assert index.search(query, 1, within=["river", "zinc"])[0].tolist() == ["river"]
    assert index.search(query, 0)[0].tolist() == []


def test_similarities_are_products(index: WordVectorIndex, means: FloatArray) -> None:
    places = np.array([2, -1, 0], dtype=np.int32)
    wanted = [means[2] @ means[0], 0, 1]
    np.testing.assert_allclose(index.similarities_at(means[0], places), wanted, atol=1e-6)
    np.testing.assert_allclose(index.scorer(means[0])(places), wanted, atol=1e-6)
    several = index.similarities(means[:2].T, ["lake"])
    np.testing.assert_allclose(several, means[1:2] @ means[:2].T, atol=1e-6)


def test_rows_along_a_basis_are_the_vectors_that_it_spans() -> None:
    rng = np.random.default_rng(4)
    basis: FloatArray = np.linalg.qr(rng.standard_normal((24, 6)))[0].astype(np.float32)
    vectors: FloatArray = rng.standard_normal((30, 6)).astype(np.float32) @ basis.T
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = VectorRows(packed(vectors @ basis), basis)
    some = np.array([3, 3, 0], dtype=np.int32)
    assert rows.dim == 24
    assert len(rows) == 30
    np.testing.assert_allclose(rows.vectors(some), vectors[some], atol=5e-3)
    np.testing.assert_allclose(rows.products(vectors[7]), vectors @ vectors[7], atol=1e-2)
    np.testing.assert_allclose(
        rows.products_at(vectors[:2].T, some), vectors[some] @ vectors[:2].T, atol=1e-2
    )
