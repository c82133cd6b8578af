from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.algorithms.fusion import reciprocal_rank_fusion


def rows(*numbers: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(numbers, dtype=np.int32)


def test_scores_are_sums_of_weighted_reciprocal_ranks() -> None:
    order, scores = reciprocal_rank_fusion([rows(4, 7), rows(7, 9)], [1.0, 2.0], constant=10)
    assert order.tolist() == [7, 9, 4]
    np.testing.assert_allclose(scores, [1 / 12 + 2 / 11, 2 / 12, 1 / 11], rtol=1e-6)


def test_equal_scores_are_ordered_by_row() -> None:
    order, scores = reciprocal_rank_fusion([rows(8), rows(3)])
    assert order.tolist() == [3, 8]
    assert scores[0] == scores[1]


def test_one_ranking_keeps_its_order() -> None:
    order, _ = reciprocal_rank_fusion([rows(5, 1, 3)])
    assert order.tolist() == [5, 1, 3]


@pytest.mark.parametrize("rankings", [[], [rows(), rows()]])
def test_nothing_fuses_to_nothing(
    rankings: list[np.ndarray[tuple[int], np.dtype[np.int32]]],
) -> None:
    order, scores = reciprocal_rank_fusion(rankings)
    assert len(order) == len(scores) == 0
