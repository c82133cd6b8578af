from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.verification.answer_kind import misfit, neither_of_two
from hoptrail.core.types import Chunk, Entity, Evidence, Hit, TrailHop

INDEX = EvidenceIndex(
    Evidence(
        entities=(Hit(Entity("e1", "Varde", "place")), Hit(Entity("e2", "Ida Holm", "person")))
    )
)


def told(question: str, answer: str, quote: str = "") -> str | None:
    return misfit(question, answer, (TrailHop(1, "c", quote=quote),), INDEX)


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("When was the mill built?", "Ida Holm", "a date, and this is a person"),
        ("When was the mill built?", "Blue Moss", "a date, and this is a name"),
        ("When was the mill built?", "5", "a date, and this is a number"),
        ("How many people live there?", "3 May 1921", "a number, and this is a date"),
        ("Who built the mill?", "October", "a person, and this is a date"),
        ("Who built the mill?", "Varde", "a person, and this is a place"),
        ("Where is the mill?", "Ida Holm", "a place, and this is a person"),
        ("Where is the fair?", "on Friday 4 May at 19:30", "a place, and this is a date"),
        ("Which company owns it?", "1921", "an organisation, and this is a date"),
        ("Is the mill older than the bridge?", "Varde", "yes or no, and this is a place"),
    ],
)
def test_an_answer_that_surely_is_of_another_kind(question: str, answer: str, reason: str) -> None:
    assert told(question, answer) == f"the question asks for {reason}"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was the mill built?", "1921"),
        ("When was the mill built?", "in the year 1921"),
        ("When was the mill built?", "the spring of the war"),
        ("By what time does it close?", "10.30 pm"),
        ("How many people live there?", "1921"),
        ("How many people live there?", "about forty"),
        ("Who built the mill?", "Krogh Ltd"),
        ("Where did she work?", "Krogh Ltd"),
        ("Which version mends it?", "2.4"),
        ("Is the mill older than the bridge?", "Yes, by ten years"),
    ],
)
def test_an_answer_that_may_be_of_the_kind(question: str, answer: str) -> None:
    assert told(question, answer) is None


def test_a_month_is_no_year() -> None:
    assert told("In what year was it built?", "May") == (
        "the question asks for a year, and this is none"
    )


def test_a_bare_number_is_no_price() -> None:
    question = "What is the price of a ticket?"
    assert told(question, "5", "Tickets for children aged 5") == (
        "the question asks for a price, and this is a bare number"
    )
    assert told(question, "5", "A ticket is 5 euros.") is None
    assert told(question, "5.60", "Ticket,5.60") is None


def test_a_number_under_a_column_of_a_currency_is_a_price() -> None:
    assert told("What is the price of a bike?", "4.50", "route: Quay; bike EUR: 4.50") is None
    assert told("What is the price of a bike?", "4", "route: Quay; bikes: 4") is not None


@pytest.mark.parametrize(
    ("subject", "predicate", "object_"),
    [("Ida Bay", "founded", "Quill Works"), ("Quill Works", "director", "Ida Bay")],
)
def test_who_did_something_is_no_place(subject: str, predicate: str, object_: str) -> None:
    hop = TrailHop(1, "c", subject=subject, predicate=predicate, object=object_)
    question = "Where was the founder of the Quill Works from?"
    assert misfit(question, "Ida Bay", (hop,), INDEX) == (
        "the question asks for a place, and this is the doer of step 1"
    )


def test_an_amount_on_top_of_another_is_no_price() -> None:
    quote = "A single room costs 40 more, and breakfast 9."
    reason = "the question asks for one amount, and this is something else"
    assert told("How much is a single room?", "40", quote) == reason
    assert told("How much more is a single room?", "40", quote) is None
    assert told("How much is breakfast?", "9", quote) is None


def test_where_something_lies_may_be_answered_by_any_name() -> None:
    hop = TrailHop(1, "c", subject="Quill Works", predicate="lies in", object="Ida Bay")
    assert misfit("Where is the Quill Works?", "Ida Bay", (hop,), INDEX) is None


def test_when_may_be_answered_by_opening_hours() -> None:
    assert told("When may the gym be used?", "7 to 9 pm") is None


@pytest.mark.parametrize(
    ("question", "answer", "predicate", "reason"),
    [
        (
            "How much is the box?",
            "100 4 £9.50 £38.00",
            "box of",
            "the question asks for one amount, and this is several",
        ),
        (
            "What does it cost in euros?",
            "£47",
            "costs",
            "the question asks for an amount in euros, and this is in another currency",
        ),
        (
            "When was the application approved?",
            "2 February 2026",
            "of",
            "the passage says it of Your application",
        ),
        (
            "How long is the lease?",
            "five years",
            "has the right to extend it by",
            "the passage says it of how it may be made longer or ended",
        ),
    ],
)
def test_a_value_of_the_right_kind_that_answers_something_else(
    question: str, answer: str, predicate: str, reason: str
) -> None:
    hop = TrailHop(1, "c", subject="Your application", predicate=predicate, object=answer)
    assert misfit(question, answer, (hop,), INDEX) == reason


@pytest.mark.parametrize(
    ("question", "answer", "predicate"),
    [
        ("What does it cost in euros?", "47 euros", "costs"),
        ("What does it cost in pounds?", "£47", "costs"),
        ("When was the letter dated?", "2 May 2026", "of"),
        ("By how long can the lease be extended?", "five years", "may be extended by"),
        ("What does it cost?", "£9.50 to £38.00", "costs"),
    ],
)
def test_a_value_of_the_right_kind_that_answers_it(
    question: str, answer: str, predicate: str
) -> None:
    hop = TrailHop(1, "c", subject="The letter", predicate=predicate, object=answer)
    assert misfit(question, answer, (hop,), INDEX) is None


def test_of_two_that_are_named_one_is_the_answer() -> None:
    question = "Which costs more, a dog or a cat vaccination?"
    assert neither_of_two(question, "£52") == (
        "the question asks for one of two, and this is neither"
    )
    assert neither_of_two(question, "dog vaccination") is None
    assert neither_of_two(question, "both") is None
    assert neither_of_two("Who owns the mill, and what does it make?", "Ida Holm") is None


def test_what_its_own_article_calls_a_town_is_no_county() -> None:
    text = "Hilmar is the largest town of Corbel County."
    index = EvidenceIndex(Evidence(chunks=(Hit(Chunk("c", "d", "Hilmar, Corbel", text, 0, 44)),)))
    hops = (TrailHop(1, "c"),)
    assert misfit("In what county is the Holt House?", "Hilmar", hops, index) is not None
    assert misfit("In what town is the Holt House?", "Hilmar", hops, index) is None


def test_what_a_step_takes_for_known_is_not_answered_by_what_stands_behind_it() -> None:
    hops = (TrailHop(1, "c", "Per Krogh", "learned his trade with the joiner", "Schramm"),)
    assert misfit("What trade did Per Krogh learn?", "Schramm", hops, INDEX) is not None
    assert misfit("With which joiner did Per Krogh learn?", "Schramm", hops, INDEX) is None
