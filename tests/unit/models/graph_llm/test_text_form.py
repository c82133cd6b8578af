from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.text_form import text_form

NAMES = st.text(min_size=1, max_size=8)
GRAPH = GraphInput.from_triples(
    [
        ("Paris", "location.capital_of", "France"),
        ("France", "government", "m.0x1"),
        ("m.0x1", "office_holder", "Emmanuel  Macron\n"),
    ]
)


def test_triples_are_lines_of_words_and_nodes_without_a_name_are_numbers() -> None:
    assert text_form(GRAPH, len, 1000) == (
        "Paris | capital of | France\n"
        "France | government | #2\n"
        "#2 | office holder | Emmanuel Macron"
    )


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        ("people.person.place_of_birth", "place of birth"),
        ("birthPlace", "birth Place"),
        ("lives in the U.S.", "lives in the U S"),
        ("located.", "located"),
    ],
)
def test_of_a_dotted_predicate_the_last_part_is_written(predicate: str, words: str) -> None:
    graph = GraphInput.from_triples([("a", predicate, "b")])
    assert text_form(graph, len, 100) == f"a | {words} | b"


def test_the_worst_triples_are_left_out_whole() -> None:
    first, second, _ = text_form(GRAPH, len, 1000).splitlines()
    budget = len(first) + len(second) + 2
    assert text_form(GRAPH, len, budget) == f"{first}\n{second}"
    assert text_form(GRAPH, len, budget - 1) == first


def test_one_enormous_triple_does_not_cost_the_others() -> None:
    graph = GraphInput.from_triples([("x" * 500, "r", "y"), ("a", "r", "b")])
    assert text_form(graph, len, 100) == "a | r | b"


def test_no_room_gives_no_text() -> None:
    assert text_form(GRAPH, len, 0) == ""


def test_an_empty_graph_gives_no_text() -> None:
    assert text_form(GraphInput(), len, 100) == ""


def test_the_budget_holds_where_the_whole_needs_more_tokens_than_its_lines() -> None:
    def tokens(text: str) -> int:
        return len(text) * (1 + text.strip().count("\n"))

    text = text_form(GRAPH, tokens, 80)
    assert text.startswith("Paris")
    assert tokens(text) <= 80


@given(st.lists(st.tuples(NAMES, NAMES, NAMES), max_size=8), st.integers(0, 120))
def test_the_text_is_a_prefix_of_the_whole_text_within_the_budget(
    triples: list[tuple[str, str, str]], budget: int
) -> None:
    graph = GraphInput.from_triples(triples)
    text = text_form(graph, len, budget)
    assert len(text) <= budget
    lines = text_form(graph, len, 10_000).split("\n")
    kept = [line for line in lines if len(line) + 1 <= budget]
    assert text.split("\n") == kept[: len(text.split("\n"))] or text == ""
