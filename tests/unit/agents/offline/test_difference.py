from __future__ import annotations

import pytest

from hoptrail.agents.offline.difference import find_difference
from hoptrail.core.types.draft import Draft
from tests.unit.agents.conftest import index_of


def find(question: str, text: str) -> Draft | None:
    return find_difference(question, index_of(text, title="Letter"))


@pytest.mark.parametrize(
    ("text", "difference"),
    [
        ("The charge goes up from £84 to £97 in July. The budget is £48,200.", "£13"),
        ("The charge rises by £13, to £97.", "£13"),
        ("The charge fell from 1.250,00 to 1.199,50 euros.", "50,50 euros"),
        ("The charge was cut from £84.50 to £80.", "£4.50"),
    ],
)
def test_difference_is_stated_or_computed(text: str, difference: str) -> None:
    draft = find("By how much does the charge go up?", text)
    assert draft is not None
    assert draft.text == difference


@pytest.mark.parametrize(
    "text",
    [
        "The charge goes up in July. The budget is £48,200.",
        "The rent goes up from £84 to £97.",
        "The charge does not go up from £84 to £97.",
    ],
)
def test_no_other_amount_is_a_difference(text: str) -> None:
    draft = find("By how much does the charge go up?", text)
    assert draft is not None
    assert draft.abstained


def test_what_changes_may_be_named_by_the_heading() -> None:
    text = "# Minutes\n\n## 4. Insurance\n\nThe premium rises from £612 to £688."
    draft = find("By how much does the insurance premium rise?", text)
    assert draft is not None
    assert draft.text == "£76"


def test_other_questions_ask_for_no_difference() -> None:
    assert find("How much is the charge?", "The charge goes up from £84 to £97.") is None
