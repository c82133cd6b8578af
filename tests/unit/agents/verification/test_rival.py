"""A second value of the answer's kind in the clause that states it."""

from __future__ import annotations

import pytest

from hoptrail.agents.verification.rival import rival
from hoptrail.core.types import TrailHop


def doubt(question: str, quote: str, answer: str, subject: str = "") -> str | None:
    """Return the doubt about a claim whose predicate is the word before its answer."""
    predicate = " ".join(quote[: quote.index(answer)].strip(" :").split()[-1:])
    hop = TrailHop(1, "", subject, predicate, answer, support="stated", supported=True, quote=quote)
    return rival(question, [answer], hop)


@pytest.mark.parametrize(
    ("question", "quote", "answer", "other"),
    [
        (
            "When is the concert?",
            "The concert on 12 October has been moved to 9 November.",
            "12 October",
            "9 November",
        ),
        (
            "What does lunch cost?",
            "Lunch rises from 3.80 to 4.20 euros in August.",
            "4.20 euros",
            "3.80",
        ),
        ("How much at the door?", "Tickets: 14 euros, at the door 17; no dogs.", "14 euros", "17"),
        ("How many votes did she get?", "She got in with 14 of 19 votes.", "19", "14"),
        ("Where is it?", "The fair moves from Orrin to Varde.", "Orrin", "Varde"),
    ],
)
def test_a_value_that_may_as_well_be_meant_is_told(
    question: str, quote: str, answer: str, other: str
) -> None:
    assert doubt(question, quote, answer) == f'another reading of the passages says "{other}"'


@pytest.mark.parametrize(
    ("question", "quote", "answer"),
    [
        ("When was she born?", "She was born on 3 May 1901, and died in 1950.", "3 May 1901"),
        ("When did she die?", "She came in 1940 and died in 1950.", "1950"),
        ("Who met Ida Holm?", "Ida Holm met Tom Berg.", "Tom Berg"),
        ("How much is it?", "The 5 rooms cost £40 each.", "£40"),
        ("When is it?", "It is on 3 May; the other one is on 9 May.", "3 May"),
        ("Where did she train?", "Owen Dacre trained her in Leiden.", "Leiden"),
        ("Who checks it?", "It is checked each May by Brandwacht.", "Brandwacht"),
        ("What does it cost?", "Boat: Otter; Hour: £38; Day: £140", "£38"),
    ],
)
def test_another_thing_or_another_verb_makes_no_rival(
    question: str, quote: str, answer: str
) -> None:
    assert doubt(question, quote, answer) is None


def test_who_is_what_a_claim_says_has_no_rival() -> None:
    quote = "The headmaster, Mr Fenner, reports that Ms Ilic comes."
    assert doubt("Who is the headmaster?", quote, "Mr Fenner", subject="Mr Fenner") is None


def test_a_part_of_a_list_that_is_the_answer_is_no_rival() -> None:
    quote = "First aiders are Tomasz Wilk, Priya Raman and Ruth Penhallow."
    hop = TrailHop(
        1, "", "First aiders", "are", "Tomasz Wilk", support="stated", supported=True, quote=quote
    )
    answers = ["Tomasz Wilk", "Priya Raman", "Ruth Penhallow"]
    assert rival("Who are the first aiders?", answers, hop) is None
