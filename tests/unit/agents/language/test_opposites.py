from __future__ import annotations

import pytest

from hoptrail.agents.language.opposites import tells_opposite


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("When was Ann Holt born?", "Ann Holt died on 9 May 1944"),
        ("When does the ferry depart?", "The ferry arrives at 2.15 pm"),
        ("When did the bakery open?", "The bakery closed in 1998"),
        ("When does the lease end?", "The lease begins on 1 April"),
        ("When are bonfires forbidden?", "Bonfires are allowed after 6 pm"),
    ],
)
def test_the_contrary_of_what_is_asked_is_told(asked: str, told: str) -> None:
    assert tells_opposite(asked, told)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("When was Ann Holt born?", "Ann Holt was born in 1871 and died in 1944"),
        ("When was Ann Holt born?", "Ann Holt (3 May 1871 – 9 May 1944) was a painter"),
        ("When does the lease end?", "The lease runs until 31 March"),
        ("Did it open before it closed?", "It closed in 1998"),
    ],
)
def test_what_is_asked_may_be_told_beside_the_contrary_or_in_other_words(
    asked: str, told: str
) -> None:
    assert not tells_opposite(asked, told)
