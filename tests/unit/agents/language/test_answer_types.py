from __future__ import annotations

import pytest

from hoptrail.agents.language.answer_types import asks_for_several, asks_which_several, focus_of


@pytest.mark.parametrize(
    ("question", "answer_type", "noun"),
    [
        ("Who founded Varde?", "person", ""),
        ("When did it open?", "date", ""),
        ("Where was she born?", "place", ""),
        ("In which year did it open?", "date", "year"),
        ("Which Roman era temple was closed?", "other", "temple"),
        ("In which time zone is it?", "other", "zone"),
        ("On which river does it lie?", "place", "river"),
        ("What is the capital of Sydland?", "place", "capital"),
        ("What is the name of the band?", "organization", "band"),
        ("How many people live there?", "number", "people"),
        ("Is Varde a town?", "yes_no", ""),
        ("Is Varde older or Ribe?", "other", ""),
        ("The town where Ida Holm was born lies in what province?", "place", "province"),
        ("Name the bridge.", "other", ""),
    ],
)
def test_focus_is_the_kind_of_answer(question: str, answer_type: str, noun: str) -> None:
    focus = focus_of(question)
    assert (focus.answer_type, focus.noun) == (answer_type, noun)


@pytest.mark.parametrize(
    "question",
    ["Which films does Ann Lee like?", "Who are the trustees?", "Which ships were built here?"],
)
def test_grammar_asks_for_more_than_one(question: str) -> None:
    assert asks_which_several(question)
    assert asks_for_several(question)


@pytest.mark.parametrize(
    "question",
    ["Who is on the committee?", "What are the prizes?", "List the members of the band."],
)
def test_a_list_may_answer(question: str) -> None:
    assert asks_for_several(question)
    assert not asks_which_several(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who is the treasurer?",
        "Which film did Ann Lee direct?",
        "Which bus does Ann take?",
        "Who won?",
    ],
)
def test_one_is_asked_for(question: str) -> None:
    assert not asks_for_several(question)
