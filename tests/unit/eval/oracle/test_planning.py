from __future__ import annotations

from typing import Any

import pytest

from hoptrail.eval.oracle.planning import (
    decompose,
    route_of,
    write_concepts,
    write_constraints,
    write_keywords,
    write_query,
)
from hoptrail.eval.questions.question import GoldStep, Question
from tests.ships import QUESTION
from tests.unit.eval.oracle.conftest import chained


def test_the_gold_steps_keep_their_references() -> None:
    steps = ["What yard built the Morning Tern?", "Who founded #1?"]
    assert decompose(chained()).sub_questions == steps


def test_without_gold_steps_the_question_is_its_own_decomposition() -> None:
    assert decompose(chained(steps=())).sub_questions == [QUESTION]


def test_steps_that_nobody_could_ask_in_order_are_not_issued() -> None:
    steps = (GoldStep("Who founded #2?", "Edda Thorn"), GoldStep("What yard?", "Alder Yard"))
    assert decompose(chained(steps=steps)).sub_questions == [QUESTION]


def test_the_next_query_is_the_first_step_that_was_not_searched_for() -> None:
    assert write_query(chained(), "").query == "What yard built the Morning Tern?"
    searched = "- what yard built the morning tern"
    assert write_query(chained(), searched).query == "Who founded #1?"
    told = f"{searched}\n- Alder Yard"
    assert write_query(chained(), told).query == "Who founded Alder Yard?"


def test_when_all_steps_were_searched_for_the_question_is_left() -> None:
    searched = "- What yard built the Morning Tern?\n- Who founded Alder Yard?"
    assert write_query(chained(), searched).query == QUESTION


def test_concepts_are_the_names_in_the_question() -> None:
    concepts = write_concepts(QUESTION)
    assert [span.text for span in concepts.spans] == ["Morning Tern"]
    assert not concepts.needs_topics


def test_a_question_without_names_needs_topics() -> None:
    concepts = write_concepts("which yards built steamers?")
    assert concepts.needs_topics
    assert "steamers" in concepts.topics


def test_constraints_and_keywords_say_what_the_question_says() -> None:
    assert write_constraints(QUESTION).query == QUESTION
    keywords = write_keywords(QUESTION)
    assert keywords.entities == ["Morning Tern"]
    assert keywords.themes == ["founded", "yard", "built"]


def of_kind(kind: str | None = None, **gold: object) -> Question:
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
    assert route_of(of_kind(kind)) == route


@pytest.mark.parametrize(
    "gold",
    [
        {"steps": (GoldStep("a", "b"), GoldStep("c", "d"))},
        {"hops": 2},
        {"relation_paths": (("directed by", "written by"),)},
    ],
)
def test_without_a_type_two_steps_make_a_chain(gold: dict[str, Any]) -> None:
    assert route_of(of_kind(**gold)) == "bridge"
