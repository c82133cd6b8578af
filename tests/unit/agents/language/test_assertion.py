from __future__ import annotations

import pytest

from hoptrail.agents.language.assertion import has_doubt, is_asserted, spelled_out


def says(text: str, part: str) -> bool:
    start = text.index(part)
    return is_asserted(text, start, start + len(part))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Ann Holt did not design the mill.", "design"),
        ("The mill was never built by Ann Holt.", "built"),
        ("Neither Ann Holt nor her son wrote it.", "wrote"),
        ("Nobody believes that Ann Holt wrote it.", "wrote"),
        ("The mill was to be designed by Ann Holt.", "designed"),
        ("The mill was almost bought by Ann Holt.", "bought"),
        ("Ann Holt would have designed it.", "designed"),
        ("It was sold to Ann Holt, not to Tim Reed.", "Tim Reed"),
        ("It was founded by Ann Holt, or so he claimed.", "founded"),
        ("If Ann Holt wins, she is mayor.", "wins"),
    ],
)
def test_what_is_denied_or_only_imagined_is_not_asserted(text: str, part: str) -> None:
    assert not says(text, part)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("It was sold to Ann Holt, not to Tim Reed.", "Ann Holt"),
        ("Although Ben never lived there, Ann Holt built it.", "built"),
        ("Ann Holt, who had not studied, built it.", "built"),
        ("Tom did not found it; Ann Holt founded it.", "Ann Holt founded"),
        ("The line did not open until 1921.", "1921"),
        ("No fewer than 240 pumps are bought.", "bought"),
        ("It was founded not only by Ann Holt.", "founded"),
        ("If you want to leave, the notice period is three months.", "three months"),
        ("She opened it in 1999 and has never closed it.", "opened"),
    ],
)
def test_a_denial_reaches_no_further_than_its_own_statement(text: str, part: str) -> None:
    assert says(text, part)


def test_names_of_months_and_plain_predicates_raise_no_doubt() -> None:
    assert not has_doubt("was opened in May")
    assert not has_doubt("had worked with")


def test_is_behind_a_question_word_is_spelled_out() -> None:
    assert spelled_out("What's Ann's phone number?") == "What is Ann's phone number?"
    assert spelled_out("And who\u2019s the chair?") == "And who is the chair?"
