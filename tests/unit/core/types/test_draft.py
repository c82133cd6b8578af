from __future__ import annotations

import pytest

from hoptrail.core.types.draft import Draft


@pytest.mark.parametrize(
    ("answers", "is_list", "text"),
    [
        (("A", "B", "C"), True, "A, B and C"),
        (("A", "B"), True, "A and B"),
        (("A",), True, "A"),
        (("A", "B"), False, "A; B"),
    ],
)
def test_a_list_is_told_as_in_a_sentence(
    answers: tuple[str, ...], is_list: bool, text: str
) -> None:
    assert Draft("graph_search", answers, is_list=is_list).text == text
