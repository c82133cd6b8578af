from __future__ import annotations

import pytest

from hoptrail.agents.language.time_range import is_other_end

TEXT = "The policy runs from 1 April 2026 to 31 March 2027."


@pytest.mark.parametrize(
    ("question", "day", "expected"),
    [
        ("When does the insurance run out?", "1 April 2026", True),
        ("When does the insurance run out?", "31 March 2027", False),
        ("Until when does the policy run?", "1 April 2026", True),
        ("When does the policy start?", "31 March 2027", True),
        ("When does the policy start?", "1 April 2026", False),
        ("When was the policy signed?", "1 April 2026", False),
    ],
)
def test_end_that_is_not_asked_for_is_told_from_the_other(
    question: str, day: str, expected: bool
) -> None:
    start = TEXT.index(day)
    assert is_other_end(question, TEXT, start, start + len(day)) is expected
