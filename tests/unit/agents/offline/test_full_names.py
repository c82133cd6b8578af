from __future__ import annotations

import pytest

from hoptrail.agents.offline.answerer import search_answer
from hoptrail.core.types import Chunk, Evidence, Hit

STAFF = (
    "Name: Priya Nair; Role: Head nurse; Extension: 15\n\n"
    "Name: Kevin Doyle; Role: Nurse; Extension: 16"
)
PRODUCTS = "Product: Kevin Plate; Role: Kitchen; Weight: 3 kg"


def answer(question: str, *texts: str) -> str:
    chunks = [Chunk(t, t[:9], "List", t, 0, len(t)) for t in texts]
    evidence = Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks))
    return search_answer(question, "bridge", evidence).text


@pytest.mark.parametrize(
    ("question", "expected"),
    [("What is Priya's role?", "Head nurse"), ("What is Kevin's extension?", "16")],
)
def test_a_first_name_of_one_person_of_a_table_stands_for_that_person(
    question: str, expected: str
) -> None:
    assert answer(question, STAFF, "Priya and Kevin went home.") == expected


def test_a_first_name_of_two_persons_stands_for_none() -> None:
    assert answer("What is Kevin's extension?", STAFF, "Name: Kevin Marsh; Role: Clerk") == ""


def test_the_first_word_of_a_things_name_stands_for_no_person() -> None:
    assert answer("What is Kevin's role?", PRODUCTS) == ""
