from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hoptrail.core.errors import InputError
from hoptrail.core.types import Evidence, Hit, Path, Relation
from hoptrail.models.graph_llm.example import (
    MOST_RELATIONS,
    GraphExample,
    answers_in_graph,
    graph_of_evidence,
    reply_answers,
    target_text,
)
from hoptrail.models.graph_llm.graph_input import GraphInput

EXAMPLE = GraphExample(
    "q1",
    "What is the capital of France?",
    ("Paris",),
    GraphInput.from_triples([("Paris", "capital of", "France")]),
)
FOUNDED = Relation("r1", "yard", "founded_by", "thorn", subject="Alder Yard", object="Edda Thorn")
BORN = Relation("r2", "thorn", "born_in", "port", subject="Edda Thorn", object="Port Selwick")
NAMESAKE = Relation("r3", "other", "born_in", "port", subject="Edda Thorn", object="Port Selwick")


def test_an_example_survives_a_line_of_a_file() -> None:
    assert GraphExample.from_json(json.loads(json.dumps(EXAMPLE.to_json()))) == EXAMPLE


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": 1}, "id and question of an example are not texts"),
        ({"question": None}, "id and question of an example are not texts"),
        ({"answers": "Paris"}, "the answers of example 'q1' are not a list of texts"),
        ({"answers": [1]}, "the answers of example 'q1' are not a list of texts"),
        ({"graph": {"nodes": [], "edges": [[0, "r", 0]]}}, "names node 0, but the graph has 0"),
    ],
)
def test_a_malformed_example_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        GraphExample.from_json({**EXAMPLE.to_json(), **changes})


@pytest.mark.parametrize("field", ["id", "question", "answers", "graph"])
def test_a_missing_field_is_named(field: str) -> None:
    value = EXAMPLE.to_json()
    del value[field]
    with pytest.raises(InputError, match=f"an example has no {field}"):
        GraphExample.from_json(value)


def test_an_example_is_an_object() -> None:
    with pytest.raises(InputError, match="an example is not an object"):
        GraphExample.from_json([])


def test_a_reply_is_split_at_semicolons_and_lines() -> None:
    assert reply_answers(" Oslo;Bergen ;\nVoss ") == ("Oslo", "Bergen", "Voss")


def test_an_answer_counts_once_whatever_its_case() -> None:
    assert reply_answers("Oslo; OSLO; Bergen") == ("Oslo", "Bergen")


def test_an_empty_reply_has_no_answer() -> None:
    assert reply_answers(" ; \n") == ()


def test_answers_that_the_graph_holds_are_the_target() -> None:
    graph = GraphInput(("norway", "oslo"), ((0, "capital", 1),))
    assert target_text(("Bergen", "Oslo"), graph, len) == "Oslo"


def test_all_answers_are_the_target_where_the_graph_holds_none() -> None:
    assert target_text(("Bergen", "Oslo"), GraphInput(("Voss",)), len) == "Bergen; Oslo"


def test_a_target_keeps_to_the_budget_but_never_loses_its_first_answer() -> None:
    assert target_text(("Kristiansand", "Oslo"), None, len, budget=5) == "Kristiansand"


def test_a_long_answer_is_passed_over_for_a_short_one() -> None:
    assert target_text(("Oslo", "Kristiansand", "Voss"), None, len, budget=10) == "Oslo; Voss"


def test_nodes_without_a_name_hold_no_answer() -> None:
    assert answers_in_graph(("", "Oslo"), GraphInput(("", "Oslo"))) == ["Oslo"]


def test_relations_keep_their_order_and_those_of_paths_follow() -> None:
    evidence = Evidence(
        relations=(Hit(FOUNDED, 0.9),), paths=(Hit(Path((FOUNDED, BORN)), 0.5, "dot"),)
    )

    assert list(graph_of_evidence(evidence).triples()) == [
        ("Alder Yard", "founded_by", "Edda Thorn"),
        ("Edda Thorn", "born_in", "Port Selwick"),
    ]


def test_entities_of_one_name_stay_apart() -> None:
    graph = graph_of_evidence(Evidence(relations=(Hit(BORN), Hit(NAMESAKE))))

    assert graph.nodes == ("Edda Thorn", "Port Selwick", "Edda Thorn")
    assert graph.edges == ((0, "born_in", 1), (2, "born_in", 1))


def test_evidence_without_relations_is_an_empty_graph() -> None:
    assert graph_of_evidence(Evidence()).nodes == ()


def test_what_bears_least_on_the_question_is_left_out() -> None:
    many = tuple(Hit(replace(BORN, id=f"r{number}")) for number in range(MOST_RELATIONS + 9))

    assert len(graph_of_evidence(Evidence(relations=many)).edges) == MOST_RELATIONS
