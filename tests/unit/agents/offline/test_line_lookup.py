from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.reserves import ASKED, unstated
from hoptrail.agents.offline.line_lookup import look_up_labelled, look_up_line
from hoptrail.agents.verification.verifier import verify
from tests.unit.agents.conftest import index_of, titled

LIBRARY = """TOWN LIBRARY

Opening hours

Mon-Wed      10-18
Friday       closed
Saturday .... 10 to 14

Office hours

Thursday     9-11

Cafe: Tue-Sat 11-16
"""
POOL = """Swimming pool

              Morning        Afternoon
Saturday      8-12           13-18
Sunday        9-12           closed

Prices
Adult ........ 6.50 euros
Ten visits ... 55.00 euros
"""


EVIDENCE = titled({"Town library": LIBRARY, "Swimming pool": POOL})


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When is the library open on Saturday?", "10 to 14"),
        ("When is the library open on Tuesdays?", "10-18"),
        ("What are the library's opening hours on Monday?", "10-18"),
        ("When is the library open on Friday?", "closed"),
        ("When is the pool open on Saturday?", "8-12; 13-18"),
        ("When is the pool open on Sunday?", "9-12"),
        ("How much is an adult at the pool?", "6.50 euros"),
        ("What do ten visits cost?", "55.00 euros"),
    ],
)
def test_what_stands_beside_a_day_or_thing_is_a_plain_answer(question: str, answer: str) -> None:
    draft = look_up_line(question, EvidenceIndex(EVIDENCE))

    assert draft is not None
    assert draft.text == answer
    verdict = verify(draft, question, "bridge", EVIDENCE)
    assert {hop.support for hop in verdict.trail.hops} == {"stated"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Is the library open on Friday?", "no"), ("Is the library open on Monday?", "yes")],
)
def test_whether_it_is_open_follows_from_its_hours(question: str, answer: str) -> None:
    draft = look_up_line(question, EvidenceIndex(EVIDENCE))

    assert draft is not None
    assert draft.answers == (answer,)
    assert verify(draft, question, "bridge", EVIDENCE).verified


@pytest.mark.parametrize(
    "question",
    [
        "When is the library open on Sunday?",  # no line
        "When is the library open on Thursday?",  # the office's
        "When is the museum open on Saturday?",
        "Is the library open at 5 pm on Friday?",
        "How much is a child at the pool?",
        "When is the library open?",
    ],
)
def test_no_line_answers_another_question(question: str) -> None:
    assert look_up_line(question, EvidenceIndex(EVIDENCE)) is None


def test_the_full_stop_of_a_line_is_no_part_of_its_cell() -> None:
    text = "Minutes of the May meeting\n\nNext meeting:  9 July 2025.\nDoors open:  7 p.m.\n"
    draft = look_up_line("When is the next meeting?", index_of(text))
    assert draft is not None
    assert draft.text == "9 July 2025"


STOCK = (
    "Artikel: Kupferrohr 15 mm; Lagerort: Halle 2; Preis: 3,85\n"
    "Artikel: Flansch DN50; Lagerort: Halle 4; Preis: 12,40"
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Welchen Lagerort hat das Kupferrohr 15 mm?", "Halle 2"),
        ("Wie hoch ist der Preis von Flansch DN50?", "12,40"),
        ("Welche Preise hat der Flansch DN50?", "12,40"),
    ],
)
def test_a_cell_is_told_whose_row_and_label_are_named(question: str, answer: str) -> None:
    draft = look_up_labelled(question, index_of(STOCK))
    assert draft is not None and draft.answers == (answer,)


def test_a_question_for_no_more_is_answered_plainly() -> None:
    draft = look_up_labelled("Welchen Lagerort hat das Kupferrohr 15 mm?", index_of(STOCK))
    assert draft is not None and draft.reserve == ""


def test_a_question_with_further_words_is_answered_with_reserve() -> None:
    draft = look_up_labelled("Wann wurde der Preis von Flansch DN50 erhöht?", index_of(STOCK))
    assert draft is not None and draft.reserve == unstated(ASKED)


@pytest.mark.parametrize(
    "question",
    ["Welchen Lagerort hat das Stahlrohr?", "Welche Farbe hat das Kupferrohr 15 mm?"],
)
def test_what_no_row_or_label_names_is_not_guessed(question: str) -> None:
    assert look_up_labelled(question, index_of(STOCK)) is None


def test_rows_that_differ_give_no_answer() -> None:
    other = "Artikel: Flansch DN50; Lagerort: Halle 9; Preis: 12,40"
    assert look_up_labelled("Welchen Lagerort hat Flansch DN50?", index_of(STOCK, other)) is None
