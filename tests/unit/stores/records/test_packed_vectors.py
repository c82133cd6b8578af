from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.stores.records.packed_vectors import packed, packed_products, unpacked


@pytest.fixture(scope="module")
def vectors() -> FloatArray:
    drawn = np.random.default_rng(7).standard_normal((2500, 384)).astype(np.float32)
    units: FloatArray = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return units


def test_a_packed_vector_takes_a_byte_for_each_component_and_points_the_same_way(
    vectors: FloatArray,
) -> None:
    rows = packed(vectors)
    assert rows.dtype == np.int8
    assert rows.shape == (2500, 388)
    assert (np.einsum("ij,ij->i", unpacked(rows), vectors) > 0.997).all()


def test_products_of_packed_vectors_are_those_of_the_unpacked(vectors: FloatArray) -> None:
    rows, queries = packed(vectors), vectors[:3].T
    np.testing.assert_allclose(packed_products(rows, queries), unpacked(rows) @ queries, atol=1e-6)
    np.testing.assert_allclose(packed_products(rows, vectors[5]), vectors @ vectors[5], atol=3e-3)


def test_a_vector_without_length_stays_one() -> None:
    assert (unpacked(packed(np.zeros((2, 8), dtype=np.float32))) == 0).all()


def test_no_vectors_are_packed_as_none() -> None:
    assert packed(np.zeros((0, 8), dtype=np.float32)).shape == (0, 12)
    assert packed_products(np.zeros((0, 12), dtype=np.int8), np.zeros(8, np.float32)).shape == (0,)
