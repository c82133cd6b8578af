# ruff: noqa: E501
from __future__ import annotations

import pytest

from hoptrail.agents.evidence.claims import Wording, worded_between

CASES = [
    ("Ida Holm designed the Maple Bridge.", "Ida Holm", "Maple Bridge", "designed", True),
    ("The Maple Bridge was designed by Ida Holm.", "Maple Bridge", "Ida Holm", "was designed by", True),
    ("The Maple Bridge was designed by Ida Holm.", "Ida Holm", "Maple Bridge", "was designed by", False),
    ("She was born in Varde and died in Ribe.", None, "Ribe", "died in", True),
    ("Varde is a town on the Elm.", "Varde", "Elm", "is a town on", True),
    ("Ida Holm (3 May 1880 – 9 June 1951) was an engineer.", "Ida Holm", "9 June 1951", "died on", True),
    ("Ida Holm (born 1880) is an engineer.", "Ida Holm", "1880", "was born in", True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "first", "second", "predicate", "is_forward"), CASES)
def test_two_names_are_joined_by_the_verb_that_has_both_around_it(
    text: str, first: str | None, second: str, predicate: str, is_forward: bool
) -> None:
    spans = [
        (text.index(one), text.index(one) + len(one)) if one else None for one in (first, second)
    ]
    assert spans[1] is not None
    assert worded_between(text, spans[0], spans[1]) == Wording(predicate, is_forward)


def test_names_of_two_statements_are_joined_by_nothing() -> None:
    text = "Ida Holm sings; Per Krogh lives in Varde."
    assert worded_between(text, (0, 8), (34, 39)) is None
