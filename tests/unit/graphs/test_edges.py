from typing import Any

import pytest

from hoptrail.graphs.edges import after_answer, after_retrieval, after_route, after_step
from hoptrail.graphs.state import State

MISSING = {"subject": "?film", "predicate": "directed by", "object": "?director"}


def abstained(**changes: Any) -> State:
    state: dict[str, Any] = {
        "draft": {"abstained": True, "answers": []},
        "stop_reason": "",
        "preset": "reasoning",
        "strategy": "sparql",
        "tried": ["sparql"],
        "missing": {},
        "rounds_left": 1,
    }
    return State(**{**state, **changes})  # type: ignore[typeddict-item]


def test_nothing_retrieved_ends_the_run() -> None:
    state = State(strategy="plain", retrieved={"chunks": [], "relations": []})

    assert after_retrieval(state) == "finalize"


def test_an_answer_is_verified() -> None:
    assert after_answer(abstained(draft={"answers": ["Oslo"]})) == "verify"


def test_first_abstention_switches_the_strategy() -> None:
    assert after_answer(abstained()) == "switch_strategy"


@pytest.mark.parametrize(("rounds_left", "goal"), [(1, "retarget"), (0, "finalize")])
def test_second_abstention_retrieves_again_while_rounds_are_left(
    rounds_left: int, goal: str
) -> None:
    state = abstained(
        strategy="generic",
        tried=["sparql", "generic"],
        missing=MISSING,
        rounds_left=rounds_left,
    )

    assert after_answer(state) == goal


def test_abstention_without_an_open_variable_is_final() -> None:
    assert after_answer(abstained(strategy="generic", tried=["sparql", "generic"])) == "finalize"


def test_a_spent_budget_ends_the_retries() -> None:
    assert after_answer(abstained(stop_reason="budget_calls")) == "finalize"


def test_vector_baseline_has_no_other_strategy() -> None:
    state = abstained(preset="vector", strategy="plain", tried=["plain"], rounds_left=0)

    assert after_answer(state) == "finalize"


@pytest.mark.parametrize(
    ("preset", "goal"),
    [("dagr", "decompose"), ("lightrag", "write_keywords"), ("reasoning", "retrieve")],
)
def test_the_preset_says_how_evidence_is_gathered(preset: str, goal: str) -> None:
    assert after_route(State(preset=preset)) == goal


@pytest.mark.parametrize(("done", "goal"), [(1, "solve_step"), (2, "gather")])
def test_every_sub_question_is_asked(done: int, goal: str) -> None:
    assert after_step(State(sub_questions=["a", "b"], steps=[{}] * done)) == goal
