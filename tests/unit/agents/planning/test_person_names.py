from __future__ import annotations

import pytest

from hoptrail.agents.planning.person_names import is_person, may_be_person


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What did Ida Holm write?", "Ida Holm"),
        ("Where was Veronica Lake born?", "Veronica Lake"),
        ("When did the Duke of Alba die?", "Duke of Alba"),
        ("Who met Ida Holm?", "Ida Holm"),
    ],
)
def test_a_name_may_be_that_of_a_person(question: str, name: str) -> None:
    assert may_be_person(question, name)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who owns the Red Lion?", "Red Lion"),
        ("Who lives in Varde?", "Varde"),
        ("Who directed Red Fern?", "Red Fern"),
        ("When was Red Fern released?", "Red Fern"),
        ("What feeds River Smee?", "River Smee"),
    ],
)
def test_a_name_with_an_article_a_place_or_a_maker_is_no_person(question: str, name: str) -> None:
    assert not may_be_person(question, name)


@pytest.mark.parametrize(
    ("question", "thing", "is_one"),
    [
        ("Where was the engineer of the railway born?", "the engineer", True),
        ("Who is the engineer?", "the engineer", True),
        ("Where is the railway?", "the railway", False),
        ("Where is the house in which Ida was born?", "the house", False),
    ],
)
def test_a_thing_is_a_person_by_what_it_does_or_is(question: str, thing: str, is_one: bool) -> None:
    start = question.index(thing)

    assert is_person(question, start, start + len(thing)) is is_one
