from __future__ import annotations

from hoptrail.agents.language.contractions import spelled_out


def test_is_behind_a_question_word_is_spelled_out() -> None:
    assert spelled_out("What's Ann's phone number?") == "What is Ann's phone number?"
    assert spelled_out("And who\u2019s the chair?") == "And who is the chair?"
