from __future__ import annotations

import pytest

from hoptrail.agents.language.subordinate_clause import subordinate_clause


@pytest.mark.parametrize(
    ("text", "part", "clause"),
    [
        ("It is empty since Mr Gadd moved to Spain.", "Mr Gadd", "Mr Gadd moved to Spain"),
        ("Tom locks it because Mrs Dale lost her key; Ann helps.", "Dale", "Mrs Dale lost her key"),
        ("Tom Ferrier locks it because the key was lost.", "Tom Ferrier", ""),
        ("He has led the yard since Easter 2020.", "2020", ""),
        ("When the pump fails, call Ann Holt.", "Ann Holt", ""),
    ],
)
def test_clause_of_another_event_is_found(text: str, part: str, clause: str) -> None:
    start = text.index(part)
    assert subordinate_clause(text, start, start + len(part)) == clause
