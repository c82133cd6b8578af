from __future__ import annotations

import pytest

from hoptrail.agents.language.role_rank import is_of_other_rank


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who is the vice-chair of the choir?", "The chair of the choir is Ann Holt."),
        ("Who was the former chair?", "The chair is Ann Holt."),
        ("Who is the conductor?", "Ann Holt is the deputy conductor."),
        ("Who is the president of the club?", "The honorary president is Lord Amble."),
        ("Who is the deputy treasurer?", "The assistant treasurer is Bo Reed."),
    ],
)
def test_a_role_of_another_rank_is_another_role(question: str, told: str) -> None:
    assert is_of_other_rank(question, told)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who is the vice-chair?", "The vice chair is Ann Holt."),
        ("Who is the conductor?", "Ann Holt is the conductor, Bo Reed the deputy conductor."),
        ("What was the former name of the choir?", "The choir was called Holm Singers."),
        ("How many honorary members were there?", "Group: Honorary; 2023: 5"),
        ("Who leads the choir?", "The deputy conductor Ann Holt leads the choir."),
        ("Who is the chair of the former club?", "The chair of the former club is Ann Holt."),
    ],
)
def test_the_same_rank_is_the_same_role(question: str, told: str) -> None:
    assert not is_of_other_rank(question, told)
