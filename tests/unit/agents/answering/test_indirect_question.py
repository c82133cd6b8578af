from __future__ import annotations

import pytest

from hoptrail.agents.answering.indirect_question import indirect_question


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who is the head coach?", "who the head coach is"),
        ("Who founded Reed & Sons?", "who founded Reed & Sons"),
        ("Who owns the firm that was sold?", "who owns the firm that was sold"),
        ("Who has the keys?", "who has the keys"),
        ("What is the phone number of Ann?", "what the phone number of Ann is"),
        ("What is the cake made of?", "what the cake is made of"),
        ("How high is the rent of the flat?", "how high the rent of the flat is"),
        ("How much did the boat cost?", "how much the boat cost"),
        ("What does a life jacket for a child cost?", "what a life jacket for a child costs"),
        ("What do guests pay?", "what guests pay"),
        ("When was Ann's wife born?", "when Ann's wife was born"),
        ("When was the mill built that sells flour?", "when the mill was built that sells flour"),
        (
            "Where was the architect who turned the factory into flats born?",
            "where the architect who turned the factory into flats was born",
        ),
        ("When was the annual general meeting?", "when the annual general meeting was"),
        ("When may the gym be used?", "when the gym may be used"),
        ("Where is the gym?", "where the gym is"),
        ("Which club is Ann a member of?", "which club Ann is a member of"),
        ("In which postcode is the hall?", "in which postcode the hall is"),
        ("To which IBAN is the rent paid?", "to which IBAN the rent is paid"),
        ("How many people work there?", "how many people work there"),
        ("Since when has Ann lived in Oslo?", "since when Ann has lived in Oslo"),
        ("What had the dog swallowed?", "what the dog had swallowed"),
        ("Who has lost the key?", "who has lost the key"),
        ("Who is dealing with our claim?", "who is dealing with our claim"),
        ("How many doses were spoiled?", "how many doses were spoiled"),
        ("What was decided about the roof?", "what was decided about the roof"),
        ("Which is dearer, a dog or a cat?", "which is dearer, a dog or a cat"),
        ("When is Miriam on leave?", "when Miriam is on leave"),
        ("Who must sign the form?", "who must sign the form"),
        ("What must Mrs Penrose pay?", "what Mrs Penrose must pay"),
    ],
)
def test_a_question_becomes_a_part_of_a_sentence(question: str, told: str) -> None:
    assert indirect_question(question) == told


@pytest.mark.parametrize(
    "question",
    ["Is the gym open?", "Name the coach.", "Who? And when?", "What does Ann frobnicate?", "roof"],
)
def test_a_question_of_another_form_is_left_to_be_quoted(question: str) -> None:
    assert indirect_question(question) is None
