from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.algorithms.path_similarity import path_similarities

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
VECTORS = np.array([EAST, NORTH, [0.0, 0.0]], dtype=np.float32)
QUESTION = np.array(EAST, dtype=np.float32)


def test_a_path_points_where_its_relations_point_on_average() -> None:
    similar = path_similarities(VECTORS, [[0], [1], [0, 1], [0, 0, 1]], QUESTION)
    assert similar.tolist() == pytest.approx([1.0, 0.0, 0.5**0.5, 2 / 5**0.5])


def test_a_relation_without_a_vector_adds_nothing() -> None:
    assert path_similarities(VECTORS, [[0, 2], [2]], QUESTION).tolist() == pytest.approx([1.0, 0.0])


def test_no_path_has_no_similarity() -> None:
    assert path_similarities(VECTORS, [], QUESTION).shape == (0,)
