from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.stores.records.stored_values import FINE, packed, unpacked
from hoptrail.stores.snapshot.arrays import load_arrays, seal_arrays
from hoptrail.stores.snapshot.graph_index import Csr
from hoptrail.stores.snapshot.vector_index import NumpyVectorIndex, WordVectorIndex
from hoptrail.stores.snapshot.vector_rows import PrincipalParts, VectorRows, write_principal_parts

WORDS = np.array(["bridge", "lake", "river", "zinc"])
HOLDING = [[0, 3], [1, 2, 4], [4], []]


@pytest.fixture
def matrix() -> FloatArray:
    vectors = np.random.default_rng(3).standard_normal((50, 8)).astype(np.float32)
    unit: FloatArray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


@pytest.fixture
def index(matrix: FloatArray) -> NumpyVectorIndex:
    return NumpyVectorIndex(np.array([f"i{row:02}" for row in range(50)]), matrix)


def nearest(matrix: FloatArray, query: FloatArray, k: int, rows: list[int]) -> list[str]:
    scores = {row: round(float(matrix[row] @ query), 5) for row in rows}
    return [f"i{row:02}" for row in sorted(rows, key=lambda row: (-scores[row], row))[:k]]


@pytest.mark.parametrize("k", [1, 7, 50, 99])
def test_search_agrees_with_sorting_everything(
    index: NumpyVectorIndex, matrix: FloatArray, k: int
) -> None:
    ids, scores = index.search(matrix[4], k)
    assert ids.tolist() == nearest(matrix, matrix[4], k, list(range(50)))
    assert scores[0] == 1.0


@pytest.mark.parametrize("rows", [[3], [40, 3, 3, 9], list(range(5, 50))])
def test_search_within_some_ids_leaves_unknown_ones_out(
    index: NumpyVectorIndex, matrix: FloatArray, rows: list[int]
) -> None:
    ids, _ = index.search(matrix[4], 4, within=[*(f"i{row:02}" for row in rows), "unknown"])
    assert ids.tolist() == nearest(matrix, matrix[4], 4, sorted(set(rows)))


def test_equal_scores_come_by_id() -> None:
    near = np.array([[1, 0], [0, 1], [1, 0], [1, 0]], dtype=np.float32)
    index = NumpyVectorIndex(np.array(["a", "b", "c", "d"]), near)
    assert index.search(near[0], 2)[0].tolist() == ["a", "c"]


def test_scores_that_differ_by_less_than_the_rounding_are_equal() -> None:
    vectors = np.array([[1.0 - 2e-6, 0], [1.0, 0]], dtype=np.float32)
    index = NumpyVectorIndex(np.array(["a", "b"]), vectors)
    assert index.search(vectors[1], 1)[0].tolist() == ["a"]


@pytest.mark.parametrize("k", [0, 3])
def test_an_empty_index_and_an_empty_request_find_nothing(k: int, matrix: FloatArray) -> None:
    nothing = NumpyVectorIndex(np.zeros(0, dtype="<U1"), np.zeros((0, 0), dtype=np.float32))
    assert nothing.search(matrix[0], k)[0].tolist() == []
    assert nothing.similarities(matrix[0], ["a"]).tolist() == [0.0]
    full = NumpyVectorIndex(np.array(["a"]), matrix[:1])
    assert full.search(matrix[0], 3, within=[])[0].tolist() == []
    assert full.search(matrix[0], 0)[0].tolist() == []


def test_items_without_a_vector_have_similarity_zero_and_zeros(
    index: NumpyVectorIndex, matrix: FloatArray
) -> None:
    scores = index.similarities(matrix[4], ["i04", "unknown", "i05"])
    np.testing.assert_allclose(scores, [1, 0, matrix[5] @ matrix[4]], atol=1e-6)
    np.testing.assert_array_equal(index.vectors(["unknown", "i05"]), [np.zeros(8), matrix[5]])


@pytest.fixture
def sharing(matrix: FloatArray) -> tuple[NumpyVectorIndex, NumpyVectorIndex]:
    """Items that share vectors or have none, and the same with a copy for each."""
    row_of = np.random.default_rng(5).integers(-1, 6, size=200).astype(np.int32)
    row_of[:6] = range(6)
    ids = np.array([f"i{place:03}" for place in range(200)])
    known = row_of >= 0
    return (
        NumpyVectorIndex(ids, matrix[:6], row_of),
        NumpyVectorIndex(ids[known], matrix[row_of[known]]),
    )


@pytest.mark.parametrize("k", [1, 20, 90, 500])
def test_shared_vectors_are_searched_as_copies_are(
    sharing: tuple[NumpyVectorIndex, NumpyVectorIndex], matrix: FloatArray, k: int
) -> None:
    shared, copied = sharing
    assert len(shared) == len(copied)
    within = [f"i{place:03}" for place in range(0, 200, 3)]
    for chosen in (None, within):
        (ids, scores), (wanted, wanted_scores) = (
            index.search(matrix[9], k, within=chosen) for index in sharing
        )
        assert ids.tolist() == wanted.tolist()
        np.testing.assert_allclose(scores, wanted_scores, atol=1e-5)


def test_items_are_asked_for_by_place_or_id(
    sharing: tuple[NumpyVectorIndex, NumpyVectorIndex], matrix: FloatArray
) -> None:
    places = np.array([3, 150, 7, 3], dtype=np.int32)
    ids = [f"i{place:03}" for place in places]
    scores = sharing[0].similarities(matrix[9], ids)
    np.testing.assert_array_equal(sharing[0].similarities_at(matrix[9], places), scores)
    np.testing.assert_array_equal(sharing[0].vectors_at(places), sharing[0].vectors(ids))
    np.testing.assert_allclose(sharing[1].similarities(matrix[9], ids), scores, atol=1e-6)


@pytest.mark.parametrize("at_once", [0, 1000])
def test_a_scorer_gives_the_similarities_at_places(
    sharing: tuple[NumpyVectorIndex, NumpyVectorIndex],
    matrix: FloatArray,
    monkeypatch: pytest.MonkeyPatch,
    at_once: int,
) -> None:
    monkeypatch.setattr("hoptrail.stores.snapshot.vector_index._SCORED_AT_ONCE", at_once)
    places = np.arange(200, dtype=np.int32)
    wanted = sharing[0].similarities_at(matrix[9], places)
    np.testing.assert_allclose(sharing[0].scorer(matrix[9])(places), wanted, atol=1e-6)


def test_several_queries_find_what_each_finds(index: NumpyVectorIndex, matrix: FloatArray) -> None:
    found = index.search_many(matrix[:3], 4)
    for place, (ids, scores) in enumerate(found):
        alone, alone_scores = index.search(matrix[place], 4)
        assert ids.tolist() == alone.tolist()
        np.testing.assert_allclose(scores, alone_scores, atol=1e-5)


@pytest.mark.parametrize("k", [1, 20, 90, 500])
def test_by_principal_parts_a_search_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, k: int
) -> None:
    monkeypatch.setattr("hoptrail.stores.snapshot.vector_rows.LEAST_VECTORS", 1)
    monkeypatch.setattr("hoptrail.stores.snapshot.vector_rows._AXES", 12)
    rng = np.random.default_rng(8)
    vectors = (rng.standard_normal((300, 16)) * np.linspace(2, 0.1, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    row_of = rng.integers(-1, 300, size=1000).astype(np.int32)
    ids = np.array([f"i{place:03}" for place in range(1000)])
    rows = packed(vectors, FINE)
    write_principal_parts(tmp_path, "chunk", rows)
    seal_arrays(tmp_path)
    parts = PrincipalParts.loaded(load_arrays(tmp_path), "chunk")
    assert parts is not None
    with_parts = NumpyVectorIndex(ids, rows, row_of, parts)
    whole = NumpyVectorIndex(ids, rows, row_of)
    for query in vectors[:20]:
        (found, scores), (wanted, wanted_scores) = (
            with_parts.search(query, k),
            whole.search(query, k),
        )
        assert found.tolist() == wanted.tolist()
        np.testing.assert_allclose(scores, wanted_scores, atol=2e-5)


def test_principal_parts_leave_few_candidates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoptrail.stores.snapshot.vector_rows.LEAST_VECTORS", 1)
    monkeypatch.setattr("hoptrail.stores.snapshot.vector_rows._AXES", 4)
    rng = np.random.default_rng(8)
    vectors = (rng.standard_normal((1000, 64)) * np.array([1.0] * 4 + [0.02] * 60)).astype(
        np.float32
    )
    packed_rows = packed(vectors, FINE)
    vectors = unpacked(packed_rows)
    write_principal_parts(tmp_path, "chunk", packed_rows)
    seal_arrays(tmp_path)
    parts = PrincipalParts.loaded(load_arrays(tmp_path), "chunk")
    assert parts is not None
    exact = vectors @ vectors[5]
    least = float(np.sort(exact)[-10])
    rows = parts.at_least(vectors[5], parts.products(vectors[5]), least)
    assert set(rows) >= set(np.flatnonzero(exact >= least))
    assert len(rows) < 100


def test_few_vectors_have_no_parts(tmp_path: Path, matrix: FloatArray) -> None:
    write_principal_parts(tmp_path, "entity", matrix)
    seal_arrays(tmp_path)
    assert PrincipalParts.loaded(load_arrays(tmp_path), "entity") is None


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
def word_index(sentences: FloatArray) -> WordVectorIndex:
    starts = np.array([0, 2, 5, 6, 6], dtype=np.int32)
    holders = Csr(starts, np.array(sum(HOLDING, []), dtype=np.int32))
    lengths = [np.linalg.norm(sentences[rows].sum(axis=0)) for rows in HOLDING]
    return WordVectorIndex(
        WORDS, VectorRows(sentences), holders, np.array(lengths, dtype=np.float32)
    )


def test_a_word_has_the_mean_of_its_sentences(
    word_index: WordVectorIndex, means: FloatArray
) -> None:
    np.testing.assert_allclose(word_index.vectors(WORDS), means, atol=1e-6)
    assert (word_index.vectors(["unknown"]) == 0).all()
    assert word_index.dim == 16
    assert len(word_index) == 3
    assert word_index.has_vector.tolist() == [True, True, True, False]


def test_the_nearest_words_come_first_and_one_without_a_sentence_never(
    word_index: WordVectorIndex, means: FloatArray
) -> None:
    query = means[1]
    ids, scores = word_index.search(query, 9)
    order = np.argsort(-(means[:3] @ query))
    assert ids.tolist() == WORDS[order].tolist()
    np.testing.assert_allclose(scores, np.sort(means[:3] @ query)[::-1], atol=1e-5)
    assert word_index.search(query, 1, within=["river", "zinc"])[0].tolist() == ["river"]
    assert word_index.search(query, 0)[0].tolist() == []


def test_similarities_are_products(word_index: WordVectorIndex, means: FloatArray) -> None:
    places = np.array([2, -1, 0], dtype=np.int32)
    wanted = [means[2] @ means[0], 0, 1]
    np.testing.assert_allclose(word_index.similarities_at(means[0], places), wanted, atol=1e-6)
    np.testing.assert_allclose(word_index.scorer(means[0])(places), wanted, atol=1e-6)
    several = word_index.similarities(means[:2].T, ["lake"])
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
