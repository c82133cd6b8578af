from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.candidates import Surroundings
from hoptrail.agents.reading.query import read_query
from hoptrail.agents.reading.reader import Reading, read_answer, readings
from hoptrail.agents.verification.verifier import Verification, verify
from hoptrail.core.embedding import FloatArray
from hoptrail.core.types import Evidence
from hoptrail.core.types.draft import Draft
from hoptrail.testing import HashingEmbedder
from tests.unit.agents.conftest import titled

TEXTS = {
    "Fares": "route: Quay - Brae; ticket: adult single; price: 11.80\n\n"
    "route: Quay - Wick; ticket: adult single; price: 14.20",
    "Staff": "name: Mira Sund; role: harbour master; extension: 264\n\n"
    "name: Joan Pendry; role: bosun; extension: 260",
    "News": "Mira Sund takes over from Joan Pendry in June.",
    "Air": "The Nivo weighs 420 g. The filter of the Nivo is changed every 30 days.",
    "Ferries": "The lines of the Kittiwake were drawn by Tove Ranhild. Mira Sund mends her engine.",
    "Bench": "The bench is no work of Ida Orrin. It stands in the old potting room.",
}


@pytest.fixture(scope="module")
def texts() -> Evidence:
    return titled(TEXTS)


def read(question: str, evidence: Evidence) -> tuple[Draft | None, Verification | None]:
    similarity = TextSimilarity(HashingEmbedder().embed)
    draft = read_answer(question, EvidenceIndex(evidence), similarity)
    return draft, verify(draft, question, "bridge", evidence) if draft else None


def best(question: str, evidence: Evidence) -> Reading:
    similarity = TextSimilarity(HashingEmbedder().embed)
    return readings(question, Surroundings(EvidenceIndex(evidence), similarity))[0]


def test_row_answers_in_its_own_words(texts: Evidence) -> None:
    draft, verdict = read("What is the price of an adult single from Quay to Brae?", texts)
    assert draft is not None and verdict is not None
    assert draft.text == "11.80"
    assert verdict.verified
    assert [hop.support for hop in verdict.trail.hops] == ["stated"]


def test_described_person_leads_to_the_row(texts: Evidence) -> None:
    reading = best("What is the extension of the woman who takes over from Joan Pendry?", texts)
    assert reading.candidate.value.text == "264"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who drew the lines of the Kittiwake?", "Tove Ranhild"),
        ("How often is the filter of the Nivo changed?", "30 days"),
        ("What does the Nivo weigh?", "420 g"),
    ],
)
def test_value_of_the_sentence_with_the_words_of_the_question_is_best(
    question: str, answer: str, texts: Evidence
) -> None:
    assert best(question, texts).candidate.value.text == answer


def test_thing_that_is_only_named_alike_is_not_answered(texts: Evidence) -> None:
    assert read("What does the Nivo Mini weigh?", texts) == (None, None)


def test_denial_is_no_answer(texts: Evidence) -> None:
    assert best("Whose work is the bench?", texts).feature("denied")
    assert read("Whose work is the bench?", texts) == (None, None)


def test_another_year_is_no_answer() -> None:
    evidence = titled({"Wheels 2023": "2,310 wheels of alp milk were made in 2023."})
    assert read("How many wheels of alp milk were made in 2022?", evidence) == (None, None)


@pytest.mark.parametrize(("year", "told"), [("2023", 1.0), ("2024", 0.0)])
def test_an_aside_with_a_year_tells_of_that_year(year: str, told: float) -> None:
    evidence = titled({"Figures 2024": "The club made tours (2023: 37 tours)."})
    reading = best(f"How many tours were made in {year}?", evidence)
    assert reading.feature("years") == told


def test_question_of_other_things_is_not_answered(texts: Evidence) -> None:
    assert read("Who painted the ceiling of the chapel in 1512?", texts) == (None, None)


def test_name_in_the_question_is_no_answer(texts: Evidence) -> None:
    similarity = TextSimilarity(HashingEmbedder().embed)
    found = readings(
        "Who mends what Tove Ranhild drew?", Surroundings(EvidenceIndex(texts), similarity)
    )
    assert "Tove Ranhild" not in [one.candidate.value.text for one in found]


def test_later_edition_is_preferred() -> None:
    rows = {
        "prices-2024": "item: lock box; price: 96.00",
        "prices-2025": "item: lock box; price: 99.00",
    }
    assert best("What is the price of a lock box?", titled(rows)).candidate.value.text == "99.00"


def test_value_of_a_clause_about_another_event_is_given_with_reserve() -> None:
    evidence = titled({"Plots": "Plot 14 has been empty since Mr Gadd moved to Spain."})
    draft, _ = read("Who gets plot 14?", evidence)
    assert draft is not None and (draft.reserve or "").endswith("it of something else")
    draft, _ = read("Who moved to Spain?", evidence)
    assert draft is not None and draft.text == "Mr Gadd" and not draft.reserve


def test_a_heading_that_is_a_common_word_leads_to_no_other_thing() -> None:
    texts = {
        "Minutes": "# Boats\n\nThe Kittiwake was bought from Reed Boats for £6,450. The committee "
        "decided to sell the Bramble.\n\nAll boats are insured.",
        "Prices": "item: bolt; supplier: Reed Boats; price: 22.40",
    }
    around = Surroundings(EvidenceIndex(titled(texts)), TextSimilarity(HashingEmbedder().embed))
    query = read_query("How much did the Bramble cost?")
    links = {one.link for one in around.candidates(query, around.relevance(query))}
    assert "Boats" not in links


def test_the_time_of_a_message_is_not_when_things_happen_that_it_tells() -> None:
    chat = (
        "2024-09-14, Saturday\n"
        "10:18 Samir: what do you plan for the beds\n"
        "10:20 Grace: I have ordered 400 tulip bulbs. They come on 3 October, who helps?\n"
        "10:31 Samir: me. and Tomasz"
    )
    found = best("When do the tulip bulbs come?", titled({"Garden group": chat}))
    assert found.candidate.value.text == "3 October"


def test_a_weekday_is_when_something_happens_but_not_when_it_happened_once() -> None:
    texts = titled({"House": "Glass is collected on Thursdays. The cellar was dug by hand."})
    draft, verification = read("When is glass collected?", texts)
    assert draft is not None
    assert draft.answers == ("Thursdays",)
    assert verification is not None
    assert verification.reserve is None
    around = Surroundings(EvidenceIndex(texts), TextSimilarity(HashingEmbedder().embed))
    assert readings("When was glass collected?", around) == []


@pytest.fixture(scope="module")
def length() -> Reading:
    """A reading of one statement that has the names of the question."""
    return best("How often is the filter of the Nivo changed?", titled(TEXTS))


def test_one_statement_that_is_far_ahead_of_all_others_may_be_given(length: Reading) -> None:
    reading = replace(length, probability=0.2)
    assert reading.may_be_given(0.05)
    assert not reading.may_be_given(0.1)
    assert "what is asked" in reading.reserve


def test_of_two_answers_that_are_nearly_as_likely_none_may_be_given(length: Reading) -> None:
    reading = replace(length, probability=0.4)
    assert reading.may_be_given(0.2)
    assert not reading.may_be_given(0.35)


HOURS = {"Office": "The office is open Tuesdays 9 to 12 and Thursdays 14 to 18. It has two rooms."}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When is the office open?", "Tuesdays 9 to 12 and Thursdays 14 to 18"),
        ("When is the office open on Thursdays?", "14 to 18"),
    ],
)
def test_opening_hours_are_given_whole_or_those_of_the_day_that_is_asked_for(
    question: str, answer: str
) -> None:
    assert best(question, titled(HOURS)).candidate.value.text == answer


def test_cell_is_given_with_all_its_words() -> None:
    row = "Room: Alder; Booked by: Gardening group; From: 14:00"
    found = best("Which group has booked the room Alder?", titled({"Bookings": row}))
    assert found.candidate.value.text == "Gardening group"


@pytest.mark.parametrize(
    ("question", "reserve"),
    [
        ("Who paid for the cooker?", ""),
        ("Who paid for the kitchen?", 'the passage says it of "A new cooker"'),
    ],
)
def test_what_is_said_of_one_thing_is_told_plainly_of_that_alone(
    question: str, reserve: str
) -> None:
    text = (
        "The hall was opened in 1955.\n\n## The kitchen\n\n"
        "A new cooker was bought in May. It was paid for by the Rotary Club."
    )
    index = EvidenceIndex(titled({"Village Hall": text}))

    draft = read_answer(question, index, TextSimilarity(HashingEmbedder().embed))

    assert draft is not None
    assert (draft.text, draft.reserve) == ("Rotary Club", reserve)


def test_only_what_may_come_first_is_compared_exactly() -> None:
    seen: list[str] = []

    def embed(texts: Sequence[str]) -> FloatArray:
        seen.extend(texts)
        return HashingEmbedder().embed(texts)

    text = " ".join(f"Barge {one} was built by Ann{'ab'[one % 2]} Lee{one}." for one in range(60))
    index = EvidenceIndex(titled({"canal": text}))
    similarity = TextSimilarity(embed, HashingEmbedder().embed)
    found = readings("Who built barge 7?", Surroundings(index, similarity))

    assert len(found) > 20
    assert found[0].candidate.value.text == "Annb Lee7"
    assert sum(one.startswith("canal. ") for one in seen) <= 20


def test_a_value_of_a_thing_that_lies_at_the_asked_one_is_given_with_reserve() -> None:
    text = "Aldbury lies on the River Teme and has 900 inhabitants."
    _, verdict = read("How many inhabitants does the River Teme have?", titled({"A": text}))
    assert verdict is not None
    assert verdict.reserve == 'the passage says it of "Aldbury", not of "River Teme"'


def test_another_thing_of_a_like_name_is_named_in_the_reserve() -> None:
    text = "The Alding Street Hall has 140 seats. The roof of the Hall is to be mended."
    draft, _ = read("How many seats does the Alding Street Chapel have?", titled({"A": text}))
    assert draft is not None
    assert draft.reserve == (
        'the passage says it of "Alding Street Hall", not of "Alding Street Chapel"'
    )
