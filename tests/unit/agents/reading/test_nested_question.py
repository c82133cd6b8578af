from __future__ import annotations

import pytest

from hoptrail.agents.reading.nested_question import nested_questions


@pytest.mark.parametrize(
    ("question", "inner", "outer"),
    [
        (
            "What is the extension of the man who takes over from Joan Pendry?",
            "Who takes over from Joan Pendry?",
            "What is the extension of {}?",
        ),
        (
            "In which town was the mill that Tom Reed owned built?",
            "Which mill Tom Reed owned?",
            "In which town was {} built?",
        ),
        (
            "Which town does the guest come from who lost a ring?",
            "Which guest lost a ring?",
            "Which town does {} come from?",
        ),
        (
            "Who teaches the course that costs 22 a month?",
            "Which course is it that costs 22 a month?",
            "Who teaches {}?",
        ),
        (
            "Which yard built the ship that Mira Solberg commands?",
            "Which ship Mira Solberg commands?",
            "Which yard built {}?",
        ),
        (
            "In what year was the woman born who succeeded Hugh Penrose?",
            "Who succeeded Hugh Penrose?",
            "In what year was {} born?",
        ),
        (
            "Since when has the club's president been a member?",
            "Who is the president of club?",
            "Since when has {} been a member?",
        ),
    ],
)
def test_description_becomes_a_question_of_its_own(question: str, inner: str, outer: str) -> None:
    assert (inner, outer) in [(one.inner, one.outer) for one in nested_questions(question)]


@pytest.mark.parametrize(
    "question",
    [
        "When did Maple Bridge open?",
        "What time are the letters picked up from Varde?",
        "How many wheels were made in the summer of 2022?",
    ],
)
def test_plain_question_is_not_nested(question: str) -> None:
    assert nested_questions(question) == []
