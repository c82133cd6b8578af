from typing import Any

import pytest

from hoptrail.graphs.state import State
from hoptrail.graphs.transitions import (
    after_answer,
    after_attempt,
    after_contextualize,
    after_escalation,
    after_retrieval,
    after_route,
    after_selection,
    after_step,
    after_switch,
)

MISSING = {"subject": "?film", "predicate": "directed by", "object": "?director"}
ANSWERED = {"strategy": "generic", "answers": ["Oslo"]}


def verdict(*, verified: bool) -> dict[str, Any]:
    checked = {"answers": [], "citations": [], "derived": False, "verified": verified}
    return {"trail": {"hops": []}, **checked}


def abstained(**changes: Any) -> State:
    state: dict[str, Any] = {
        "draft": {"strategy": "sparql", "answers": []},
        "verdict": {},
        "retrieved": {},
        "evidence": {},
        "course": [],
        "attempts": [],
        "stop_reason": "",
        "preset": "reasoning",
        "strategy": "sparql",
        "tried": ["sparql"],
        "missing": {},
        "rounds_left": 1,
    }
    return State(**{**state, **changes})  # type: ignore[typeddict-item]


def test_nothing_retrieved_ends_the_run() -> None:
    state = abstained(strategy="plain", retrieved={"chunks": [], "relations": []}, draft={})

    assert after_retrieval(state) == "finalize"


def test_an_answer_is_verified() -> None:
    assert after_answer(abstained(draft=ANSWERED)) == "verify"


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
    assert after_route(State(preset=preset, strategy="generic", stop_reason="")) == goal


@pytest.mark.parametrize(("done", "goal"), [(1, "solve_step"), (2, "gather")])
def test_every_sub_question_is_asked(done: int, goal: str) -> None:
    assert after_step(State(sub_questions=["a", "b"], steps=[{}] * done)) == goal


def test_an_abstention_is_left_to_the_next_preset() -> None:
    state = abstained(strategy="generic", tried=["sparql", "generic"], course=["dagr"])

    assert after_answer(state) == "escalate"


@pytest.mark.parametrize(("verified", "goal"), [(True, "finalize"), (False, "escalate")])
def test_only_an_answer_that_does_not_verify_costs_a_second_method(
    verified: bool, goal: str
) -> None:
    state = abstained(draft=ANSWERED, verdict=verdict(verified=verified), course=["dagr"])

    assert after_attempt(state) == goal


def test_a_second_attempt_is_the_last() -> None:
    state = abstained(attempts=[{"preset": "reasoning"}])

    assert after_attempt(state) == "settle"


def test_a_model_that_is_down_is_not_asked_by_another_method() -> None:
    state = abstained(course=["dagr"], stop_reason="model_unavailable")

    assert after_attempt(state) == "finalize"


@pytest.mark.parametrize(("stop_reason", "goal"), [("", "decompose"), ("budget_calls", "finalize")])
def test_an_escalation_needs_a_call(stop_reason: str, goal: str) -> None:
    assert after_escalation(abstained(preset="dagr", stop_reason=stop_reason)) == goal


REPORTS = {"reports": [["c1", 0.5, "hierarchy", None, []]]}


def test_a_run_without_its_model_looks_up_passages_and_ends() -> None:
    found = {"chunks": [["c1", 0.5, "dense"]]}
    state = abstained(preset="dagr", stop_reason="model_unavailable", retrieved=found)

    assert (after_route(state), after_retrieval(state)) == ("retrieve", "finalize")


def test_an_answer_from_reports_reads_them_whatever_the_preset_searches_by() -> None:
    state = State(preset="offline", strategy="extractive", stop_reason="")

    assert after_route(state) == "select_communities"


def test_every_batch_of_reports_is_a_branch() -> None:
    state = abstained(strategy="map_reduce", retrieved=REPORTS, batches=[{"numbers": [1]}] * 2)

    sent = after_selection(state)

    assert [(one.node, one.arg) for one in sent] == [("map_communities", {"numbers": [1]})] * 2  # type: ignore[union-attr]


def test_without_a_model_the_selected_reports_are_read_directly() -> None:
    assert after_selection(abstained(strategy="extractive", retrieved=REPORTS)) == "answer"


def test_without_reports_the_strategy_is_switched() -> None:
    state = abstained(strategy="map_reduce", retrieved={"reports": []})

    assert after_selection(state) == "switch_strategy"


@pytest.mark.parametrize(("retrieved", "goal"), [(REPORTS, "answer"), ({}, "retrieve")])
def test_a_switched_strategy_retrieves_where_nothing_is_left_to_read(
    retrieved: dict[str, Any], goal: str
) -> None:
    state = abstained(preset="graphrag", strategy="generic", retrieved=retrieved)

    assert after_switch(state) == goal


@pytest.mark.parametrize(("asked", "then"), [("Thanks!", "finalize"), ("Who is it?", "route")])
def test_thanks_are_searched_by_nobody(asked: str, then: str) -> None:
    assert after_contextualize(abstained(asked=asked)) == then
