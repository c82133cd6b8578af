from __future__ import annotations

from typing import Any

import pytest

from hoptrail.eval.oracle.routing import route_of
from hoptrail.eval.questions.question import GoldStep, Question


def question(kind: str | None = None, **gold: object) -> Question:
    return Question("q", "?", (("x",),), 1, type=kind, **gold)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "route"),
    [
        ("bridge", "bridge"),
        ("comparison", "comparison"),
        ("compositional", "bridge"),
        ("inference", "bridge"),
        ("bridge_comparison", "comparison"),
        ("comparison_query", "comparison"),
        ("temporal_query", "comparison"),
        ("inference_query", "inference"),
        ("Single", "inference"),
        (None, "inference"),
    ],
)
def test_the_data_sets_own_types(kind: str | None, route: str) -> None:
    assert route_of(question(kind)) == route


@pytest.mark.parametrize(
    "gold",
    [
        {"steps": (GoldStep("a", "b"), GoldStep("c", "d"))},
        {"hops": 2},
        {"relation_paths": (("directed by", "written by"),)},
    ],
)
def test_without_a_type_two_steps_make_a_chain(gold: dict[str, Any]) -> None:
    assert route_of(question(**gold)) == "bridge"
