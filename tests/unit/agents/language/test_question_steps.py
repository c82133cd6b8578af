from __future__ import annotations

import pytest

from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.question_steps import steps_from


def steps(question: str, name: str) -> list[str]:
    start = question.index(name)
    anchor = Mention(name.lower(), name, start, start + len(name), "entity")
    return [step.text for step in steps_from(question, anchor)]


@pytest.mark.parametrize(
    ("question", "name", "texts"),
    [
        (
            "Where was the director of the film Red Fern born?",
            "Red Fern",
            ["the director of the film {}", "Where was {} born?"],
        ),
        (
            "Who founded the shipyard that built Morning Tern?",
            "Morning Tern",
            ["the shipyard that built {}", "Who founded {}?"],
        ),
        (
            "Who is the spouse of Big Eye's director?",
            "Big Eye",
            ["{}'s director", "Who is the spouse of {}?"],
        ),
        (
            "In what county is the city where Ida Holm was born?",
            "Ida Holm",
            ["the city where {} was born", "In what county is {}?"],
        ),
        (
            "What is the capital of the country containing Varde?",
            "Varde",
            ["the country containing {}", "What is the capital of {}?"],
        ),
        (
            "What is the place of birth of the author of Red Fern?",
            "Red Fern",
            ["the author of {}", "What is the birthplace of {}?"],
        ),
        ("Who designed Maple Bridge?", "Maple Bridge", ["Who designed {}?"]),
        (
            "In which town was the founder of the yard that built the Grey Petrel born?",
            "Grey Petrel",
            ["the yard that built the {}", "the founder of {}", "In which town was {} born?"],
        ),
    ],
)
def test_question_comes_apart_from_the_entity_outward(
    question: str, name: str, texts: list[str]
) -> None:
    assert steps(question, name) == texts


def test_steps_know_what_they_look_for() -> None:
    question = "In what county is the city where Ida Holm was born?"
    start = question.index("Ida")
    anchor = Mention("ida holm", "Ida Holm", start, start + 8, "entity")
    first, last = steps_from(question, anchor)
    assert (first.noun, first.answer_type, first.asks_for_kind) == ("city", "place", True)
    assert (last.noun, last.answer_type) == ("county", "place")
    assert last.phrase("Varde") == "In what county is Varde?"


def test_relational_noun_is_no_kind() -> None:
    question = "Where did the founder of Varde die?"
    start = question.index("Varde")
    anchor = Mention("varde", "Varde", start, start + 5, "entity")
    assert not steps_from(question, anchor)[0].asks_for_kind
