from __future__ import annotations

from typing import Any

import pytest

from hoptrail.prompts.forms.graphrag import HelpfulPoint, HelpfulPoints


@pytest.mark.parametrize(
    ("written", "score"),
    [(85, 85), ("85 of 100", 85), (0.85, 85), ("-3", -3), (None, 1), ("high", 1), (0, 0)],
)
def test_a_score_is_read_however_it_is_written(written: Any, score: int) -> None:
    assert HelpfulPoint.model_validate({"helpfulness": written}).helpfulness == score


@pytest.mark.parametrize(
    "written", [[7, 14], "[reports: 7, 14]", ["7", {"number": 14}], "7 and 14"]
)
def test_numbers_are_read_however_they_are_written(written: Any) -> None:
    assert HelpfulPoint.model_validate({"reports": written}).reports == [7, 14]


def test_what_is_no_point_is_left_out() -> None:
    read = HelpfulPoints.model_validate({"points": ["x", None, {"text": "a"}, 3]})
    assert [point.text for point in read.points] == ["a"]
    alone = HelpfulPoints.model_validate({"points": {"text": "a"}})
    assert [point.text for point in alone.points] == ["a"]
