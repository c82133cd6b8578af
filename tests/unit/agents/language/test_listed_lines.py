from __future__ import annotations

import pytest

from hoptrail.agents.language.listed_lines import lists_in


def told(text: str) -> list[tuple[str, list[str], bool]]:
    return [
        (one.lead, [text[start:end] for start, end in one.items], one.is_whole)
        for one in lists_in(text)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## Committee\n\n- Ann Holt\n- Bo Reed\n\nWe meet in May.",
        "Committee\n---------\n\n* Ann Holt\n* Bo Reed\n\nWe meet in May.",
        "COMMITTEE\n1. Ann Holt\n2. Bo Reed\n\nWe meet in May.",
        "Committee:\n  Ann Holt\n  Bo Reed\n\nWe meet in May.",
    ],
)
def test_items_stand_below_a_heading_or_a_colon(text: str) -> None:
    ((lead, items, is_whole),) = told(text)

    assert (lead.casefold(), items, is_whole) == ("committee", ["Ann Holt", "Bo Reed"], True)


def test_a_list_that_ends_the_text_may_go_on() -> None:
    assert told("Committee:\n- Ann Holt\n- Bo Reed") == [
        ("Committee", ["Ann Holt", "Bo Reed"], False)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Committee:\n- Ann Holt\n\nWe meet in May.",  # one item
        "- Ann Holt\n- Bo Reed\n",  # nothing above
        "Committee:\n- Ann Holt\n- Bo Reed who\nlives in Ribe\n",  # goes on in another way
        "## Committee\n\nAnn Holt\nBo Reed\n",  # lines of an ordinary text
    ],
)
def test_other_lines_are_no_list(text: str) -> None:
    assert told(text) == []
