"""Yes or no about one statement: the name in the question answers the question for it, or not."""

from __future__ import annotations

import pytest

from hoptrail.agents.offline.yes_no_statement import confirm
from hoptrail.core.types.draft import Draft, HopClaim

TOLD = {
    "Who is the treasurer?": "Ann Holt",
    "Who was the hall built by?": "Bo Reed",
}


def answer(question: str) -> Draft | None:
    if question not in TOLD:
        return None
    claim = HopClaim("x", "is", TOLD[question])
    return Draft("graph_search", (TOLD[question],), hops=(claim,), reserve="")


@pytest.mark.parametrize(
    ("question", "given", "reserve"),
    [
        ("Is Ann Holt the treasurer?", "yes", ""),
        ("Is Cy Dale the treasurer?", "no", 'the passage says "Ann Holt"'),
        ("Was the hall built by Bo Reed?", "yes", ""),
        ("Was the hall built by Ann Holt?", "no", 'the passage says "Bo Reed"'),
    ],
)
def test_a_name_is_confirmed_by_asking_for_it(question: str, given: str, reserve: str) -> None:
    draft = confirm(question, answer)
    assert draft is not None
    assert (draft.text, draft.reserve) == (given, reserve)
    assert draft.derived


@pytest.mark.parametrize(
    "question",
    [
        "Did Ann Holt found the club?",
        "Is Ann Holt a member?",
        "Is the hall heated?",
        "Is Ann Holt the secretary?",  # which nothing tells
    ],
)
def test_what_asks_for_more_than_a_name_is_left_open(question: str) -> None:
    assert confirm(question, answer) is None
