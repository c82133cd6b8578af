from __future__ import annotations

import pytest

from hoptrail.agents.offline.told_place import find_place
from tests.unit.agents.conftest import index_of


def place(question: str, text: str) -> str | None:
    draft = find_place(question, index_of(text, title="Groups"))
    return None if draft is None else draft.text


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        (
            "Where does the book group meet?",
            "The book group meets in the red room.",
            "the red room",
        ),
        ("Where did the group meet?", "The group met at the old mill, as usual.", "the old mill"),
        ("Where is the class?", "The class is now held in a barn by the gate.", "a barn"),
        ("Where are the keys?", "The keys hang behind the door of the kitchen.", "the kitchen"),
        (
            "Where does the course take place?",
            "Bring lunch. The course takes place in the canteen on the ground floor.",
            "the canteen on the ground floor",
        ),
        (
            "Where does the band practise?",
            "The band practises in the cellar on the first Monday of the month.",
            "in the cellar",
        ),
    ],
)
def test_the_place_is_what_the_clause_of_all_words_tells(
    question: str, text: str, told: str
) -> None:
    found = place(question, text)
    assert found is not None
    assert found.endswith(told)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where does the group meet?", "The junior group meets in the attic."),
        ("Where does the group meet?", "The group does not meet in the attic."),
        ("Where does the group meet?", "The group meets in the evening."),
        ("Where does the group meet?", "Does the group meet in the attic?"),
        (
            "Where does the group meet?",
            "The group meets in the attic. The group meets in the hall.",
        ),
        ("In which room does the group meet?", "The group meets in the attic."),
        ("When does the group meet?", "The group meets in the attic."),
    ],
)
def test_another_thing_a_time_or_two_places_are_no_place(question: str, text: str) -> None:
    assert place(question, text) is None
