from __future__ import annotations

import pytest

from hoptrail.agents.language.everyday_words import everyday_groups


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cost", "price"),
        ("pays", "fee"),
        ("bike", "bicycles"),
        ("stop", "expires"),
        ("cars", "car"),
        ("supplier", "delivered"),
    ],
)
def test_words_of_like_meaning_share_a_group(one: str, other: str) -> None:
    assert everyday_groups(one) == everyday_groups(other)


def test_other_words_keep_theirs() -> None:
    assert everyday_groups("harbour") != everyday_groups("price")
