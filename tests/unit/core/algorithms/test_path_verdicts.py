from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.algorithms.path_verdicts import (
    COMPLETE_SIMILARITY,
    PARTIAL_SIMILARITY,
    Verdict,
    path_similarities,
    verdict_at,
    without_prefixes,
)

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
VECTORS = np.array([EAST, NORTH, [0.0, 0.0]], dtype=np.float32)
QUESTION = np.array(EAST, dtype=np.float32)


@pytest.mark.parametrize(
    ("similarity", "verdict"),
    [
        (COMPLETE_SIMILARITY, "complete"),
        (PARTIAL_SIMILARITY, "partial"),
        (PARTIAL_SIMILARITY - 0.01, "irrelevant"),
    ],
)
def test_a_similarity_stands_for_a_verdict(similarity: float, verdict: Verdict) -> None:
    assert verdict_at(similarity) == verdict


def test_a_caller_may_ask_for_more() -> None:
    assert verdict_at(0.7, complete=0.9, partial=0.8) == "irrelevant"


def test_a_path_points_where_its_relations_point_on_average() -> None:
    similar = path_similarities(VECTORS, [[0], [1], [0, 1], [0, 0, 1]], QUESTION)
    assert similar.tolist() == pytest.approx([1.0, 0.0, 0.5**0.5, 2 / 5**0.5])


def test_a_relation_without_a_vector_adds_nothing() -> None:
    assert path_similarities(VECTORS, [[0, 2], [2]], QUESTION).tolist() == pytest.approx([1.0, 0.0])


def test_no_path_has_no_similarity() -> None:
    assert path_similarities(VECTORS, [], QUESTION).shape == (0,)


def test_prefixes_of_longer_paths_are_left_out() -> None:
    assert without_prefixes([["a"], ["a", "b"], ["b"], ["a", "b", "c"]]) == [2, 3]


def test_a_repeated_path_stays_at_its_first_place() -> None:
    assert without_prefixes([["a", "b"], ["c"], ["a", "b"]]) == [0, 1]


def test_an_empty_path_says_nothing() -> None:
    assert without_prefixes([[], ["a"]]) == [1]


def test_a_finished_path_stays_beside_longer_ones() -> None:
    assert without_prefixes([["a"], ["a", "b"], ["a"]], finished=[0, 2]) == [0, 1]
