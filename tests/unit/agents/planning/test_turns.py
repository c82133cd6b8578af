from __future__ import annotations

import pytest

from hoptrail.agents.planning.turns import asks_for_source, asks_why, is_remark, is_thanks


@pytest.mark.parametrize("turn", ["thanks", "Thank you very much!", "ok", "Okay, thanks.", "Great"])
def test_thanks_are_told(turn: str) -> None:
    assert is_thanks(turn)


@pytest.mark.parametrize("turn", ["why?", "Why", "and why is that?", "How come?"])
def test_a_bare_why_is_told(turn: str) -> None:
    assert asks_why(turn)


@pytest.mark.parametrize(
    "turn",
    [
        "show the source",
        "show me the sources",
        "Can you show me the source please?",
        "where does it say that?",
        "sources?",
        "What is your source for that?",
        "How do you know that?",
    ],
)
def test_a_request_for_the_source_is_told(turn: str) -> None:
    assert asks_for_source(turn)


@pytest.mark.parametrize(
    "turn",
    [
        "Who was thanked?",
        "Why was the walk moved?",
        "What is the source of the Brill?",
        "What is the source of it?",
        "show the source of the Brill",
        "Where does it say that dogs are allowed?",
        "thanks " * 40,
    ],
)
def test_a_question_of_its_own_is_no_remark(turn: str) -> None:
    assert not is_remark(turn)
