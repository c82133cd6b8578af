from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.stores.numpy_vector_index import NumpyVectorIndex


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
    full = NumpyVectorIndex(np.array(["a"]), matrix[:1])
    assert full.search(matrix[0], 3, within=[])[0].tolist() == []
    assert full.search(matrix[0], 0)[0].tolist() == []


def test_items_without_a_vector_have_similarity_zero_and_zeros(
    index: NumpyVectorIndex, matrix: FloatArray
) -> None:
    scores = index.similarities(matrix[4], ["i04", "unknown", "i05"])
    np.testing.assert_allclose(scores, [1, 0, matrix[5] @ matrix[4]], atol=1e-6)
    np.testing.assert_array_equal(index.vectors(["unknown", "i05"]), [np.zeros(8), matrix[5]])
