from __future__ import annotations

import pytest

from hoptrail.agents.offline.answerer import search_answer
from hoptrail.core.tables.table import assemble_tables
from hoptrail.core.types import Evidence, Hit
from tests.tables import labelled_chunk

STAFF = (
    "Name: Priya Nair; Role: Head nurse; Extension: 15\n\n"
    "Name: Kevin Doyle; Role: Nurse; Extension: 16"
)
PRODUCTS = "Product: Kevin Plate; Role: Kitchen; Weight: 3 kg"


def answer(question: str, *texts: str, with_tables: bool = False) -> str:
    chunks = [labelled_chunk(text[:9], "List", text) for text in texts]
    evidence = Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks))
    tables = assemble_tables(chunks) if with_tables else ()
    return search_answer(question, "bridge", evidence, tables=tables).text


@pytest.mark.parametrize(
    ("question", "expected"),
    [("What is Priya's role?", "Head nurse"), ("What is Kevin's extension?", "16")],
)
def test_a_first_name_of_one_person_of_a_table_stands_for_that_person(
    question: str, expected: str
) -> None:
    assert answer(question, STAFF, "Priya and Kevin went home.", with_tables=True) == expected


def test_a_first_name_of_two_persons_stands_for_none() -> None:
    assert answer("What is Kevin's extension?", STAFF, "Name: Kevin Marsh; Role: Clerk") == ""


def test_the_first_word_of_a_things_name_stands_for_no_person() -> None:
    assert answer("What is Kevin's role?", PRODUCTS) == ""
