from __future__ import annotations

import pytest

from hoptrail.agents.language.answer_types import focus_of


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
