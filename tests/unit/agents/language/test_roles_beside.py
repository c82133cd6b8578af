from __future__ import annotations

import pytest

from hoptrail.agents.language.roles_beside import roles_beside


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Ruth Feldman (treasurer) keeps the accounts.", "treasurer"),
        ("Ruth Feldman, our treasurer, keeps the accounts.", "treasurer"),
        ("Ruth Feldman (deputy treasurer) came.", "deputy treasurer"),
        ("treasurer: Ruth Feldman", "treasurer"),
        ("Ruth Feldman - treasurer", "treasurer"),
        ("Our treasurer is Ruth Feldman.", "treasurer"),
    ],
)
def test_role_stands_beside_the_name(text: str, role: str) -> None:
    assert ("Ruth Feldman", role) in {(one.name, one.role) for one in roles_beside(text)}


@pytest.mark.parametrize(
    "text",
    [
        "Ruth Feldman (treasurer until 2019) came.",
        "Our treasurer's friend Ruth Feldman came.",
        "The mayor of Alding is Wim Dorn.",
    ],
)
def test_other_words_beside_a_name_are_no_role(text: str) -> None:
    assert list(roles_beside(text)) == []
