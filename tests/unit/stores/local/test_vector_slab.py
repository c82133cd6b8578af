"""Vectors by id that grow in number."""

from __future__ import annotations

import numpy as np
import pytest

from hoptrail.stores.local import held_items
from hoptrail.stores.local.held_items import VectorSlab


def test_vectors_of_several_blocks_are_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_items, "_BLOCK", 3)
    slab = VectorSlab(2)
    for number in range(8):
        slab.add(f"v{number}", np.array([number / 7, -number / 7], dtype=np.float32))
    vectors, row_of = slab.gathered(["v7", "none", "v2", "v7", "v3"])
    assert len(slab) == 8
    assert row_of.tolist() == [2, -1, 0, 2, 1]
    expected = np.array([[2, -2], [3, -3], [7, -7]]) / 7
    assert np.allclose(vectors, expected, atol=2e-5)


def test_the_first_vector_of_an_id_stays() -> None:
    slab = VectorSlab(1)
    slab.add("v", np.ones(1, dtype=np.float32))
    slab.add("v", np.zeros(1, dtype=np.float32))
    assert slab.gathered(["v"])[0].tolist() == [[1.0]]


def test_nothing_is_gathered_where_there_are_no_vectors() -> None:
    vectors, row_of = VectorSlab(0).gathered(["v"])
    assert vectors.shape == (0, 0)
    assert row_of.tolist() == [-1]


def test_a_part_of_the_vectors_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_items, "_BLOCK", 3)
    slab = VectorSlab(1)
    for number in range(5):
        slab.add(f"v{number}", [number / 4])
    kept = slab.within(["v4", "none", "v1"])
    assert len(kept) == 2
    assert np.allclose(kept.gathered(["v4"])[0], 1.0)
    kept.take(slab)
    assert len(kept) == 5
    assert np.allclose(kept.gathered(["v3"])[0], 0.75, atol=2e-5)
