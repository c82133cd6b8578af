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
    ["When did Maple Bridge open?", "How many wheels were made in the summer of 2022?"],
)
def test_plain_question_is_not_nested(question: str) -> None:
    assert nested_questions(question) == []
