from __future__ import annotations

from typing import Any, cast

import pytest

from hoptrail.agents.language.reserves import ASKED, silent, unstated
from hoptrail.agents.verification.verifier import Verification
from hoptrail.core.types import AnswerCandidate, JsonDict, Strategy, Trail, TrailHop
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.attempt import best_of, needs_other_method, read_twice
from hoptrail.graphs.state import State


def attempt(
    strategy: Strategy,
    answer: str,
    reserve: str | None = None,
    hops: int = 1,
    likelihood: float | None = None,
) -> JsonDict:
    trail = tuple(
        TrailHop(n, "a is b", "a", "is", "b", supported=True, support="stated")
        for n in range(1, hops + 1)
    )
    verdict = Verification(
        Trail(trail),
        (AnswerCandidate(answer, None, 1.0),),
        (),
        derived=False,
        verified=True,
        reserve=reserve,
        likelihood=likelihood,
    )
    draft = Draft(strategy, answers=(answer,) if answer else ())
    channels: dict[str, Any] = {"strategy": strategy, "draft": draft.to_json(), "stop_reason": ""}
    return {**channels, "verdict": verdict.to_json()}


def given(*attempts: JsonDict) -> tuple[str, str | None]:
    chosen = read_twice(attempts)
    assert chosen is not None
    verdict = Verification.from_json(chosen["verdict"])
    return Draft.from_json(chosen["draft"]).text, verdict.reserve


def test_two_readings_that_agree_settle_a_doubt_about_the_wording() -> None:
    found = attempt("graph_search", "62 euros", unstated(ASKED))

    assert given(found, attempt("short", "62")) == ("62 euros", None)


def test_two_readings_that_agree_settle_no_other_doubt() -> None:
    found = attempt("graph_search", "62", "no passage states step 1")

    assert given(found, attempt("short", "62")) == ("62", "no passage states step 1")


def test_of_two_answers_the_read_one_is_given_and_the_other_told() -> None:
    found, read = attempt("graph_search", "48", unstated(ASKED)), attempt("short", "62")

    assert given(found, read) == ("62", 'another reading of the passages says "48"')


def test_a_trail_of_several_stated_steps_stands_against_a_small_model() -> None:
    found, read = attempt("graph_search", "48", unstated(ASKED), hops=2), attempt("short", "62")

    assert given(found, read) == ("48", 'another reading of the passages says "62"')


def test_the_cells_of_a_query_are_no_steps_that_stand_against_it() -> None:
    found, read = attempt("tables", "48", silent("places"), hops=2), attempt("short", "62")

    assert given(found, read) == ("62", 'another reading of the passages says "48"')
    assert given(attempt("tables", "62", silent("places"), hops=2), read) == ("62", None)


def test_an_answer_that_is_more_likely_wrong_is_not_the_best_one() -> None:
    unlikely = attempt("graph_search", "48", likelihood=0.1)
    other = attempt("tables", "62", silent("places"))

    assert best_of([unlikely, other]) == other
    assert best_of([unlikely, attempt("short", "")])["draft"] == unlikely["draft"]


@pytest.mark.parametrize(
    ("found", "read", "is_needed"),
    [
        pytest.param("", "", True, id="nothing"),
        pytest.param("48", "", False, id="found before"),
        pytest.param("", "62", False, id="read"),
    ],
)
def test_after_a_short_prompt_another_method_follows_only_where_nothing_answers(
    found: str, read: str, is_needed: bool
) -> None:
    nothing: dict[str, Any] = {"retrieved": {}, "evidence": {}}
    before = [attempt("graph_search", found)]
    state = {**nothing, **attempt("short", read), "preset": "quick", "attempts": before}
    assert needs_other_method(cast("State", state)) is is_needed


def test_an_unlikely_trail_of_several_steps_does_not_stand_against_it() -> None:
    found = attempt("graph_search", "48", unstated(ASKED), hops=2, likelihood=0.1)

    assert given(found, attempt("short", "62")) == (
        "62",
        'another reading of the passages says "48"',
    )


def test_what_two_readings_agree_on_is_not_unlikely() -> None:
    found = attempt("graph_search", "62", "no passage states step 1", likelihood=0.1)

    chosen = read_twice([found, attempt("short", "62")])

    assert chosen is not None
    assert Verification.from_json(chosen["verdict"]).likelihood is None


def test_one_answer_alone_was_not_read_twice() -> None:
    assert read_twice([attempt("graph_search", ""), attempt("short", "62")]) is None
