from __future__ import annotations

import pytest

from hoptrail.agents.offline.answerer import search_answer
from hoptrail.agents.offline.measured_comparison import compare_measures
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types.draft import Draft, HopClaim
from tests.unit.agents.conftest import titled

PARTS = (
    "Part: Brass kettle; Price: 42 euros; Weight: 1.2 kg\n"
    "Part: Steel toaster; Price: 38 euros; Weight: 2100 g\n"
    "Part: Copper pan; Price: 75.50 euros"
)
BOATS = (
    "The Marigold is 14 metres long. The Petrel is 11.5 metres long. The Marigold cost 18,000 "
    "pounds. The Petrel cost 9,500 euros. The Marigold carries 22 passengers. "
    "The Petrel carries 30 passengers."
)


EVIDENCE = titled({"Spare parts": PARTS, "The boats": BOATS})


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which costs more, the brass kettle or the steel toaster?", "brass kettle"),
        ("Which is cheaper, the brass kettle or the steel toaster?", "steel toaster"),
        ("Which part is heavier, the brass kettle or the steel toaster?", "steel toaster"),
        ("Is the brass kettle or the steel toaster cheaper?", "steel toaster"),
        ("Which has the lower price, the copper pan or the brass kettle?", "brass kettle"),
        ("Is the Petrel longer than the Marigold?", "no"),
        ("Is the copper pan more expensive than the steel toaster?", "yes"),
        ("Does the Petrel carry more passengers than the Marigold?", "yes"),
        ("How much more does the copper pan cost than the steel toaster?", "37.50 euros"),
        ("How much longer is the Marigold than the Petrel?", "2.5 metres"),
    ],
)
def test_two_things_are_compared_by_an_amount_of_each(question: str, answer: str) -> None:
    draft = search_answer(question, "comparison", EVIDENCE)
    verdict = verify(draft, question, "comparison", EVIDENCE)

    assert draft.text == answer
    assert (verdict.verified, verdict.reserve, len(verdict.trail.hops)) == (True, None, 2)


@pytest.mark.parametrize(
    "question",
    [
        "Which is heavier, the brass kettle or the copper pan?",  # one weight is not told
        "Which costs more, the Marigold or the Petrel?",  # in pounds and in euros
        "How much more does the steel toaster cost than the copper pan?",  # it costs less
    ],
)
def test_amounts_that_do_not_tell_it_are_no_answer(question: str) -> None:
    draft = search_answer(question, "comparison", EVIDENCE)
    verdict = verify(draft, question, "comparison", EVIDENCE)

    assert draft.abstained or verdict.reserve is not None or not verdict.verified


def test_both_amounts_are_asked_for_in_the_same_words() -> None:
    asked: list[str] = []

    def answer(question: str) -> Draft:
        asked.append(question)
        amount = "61 years" if "Per" in question else "44 years"
        return Draft("graph_search", (amount,), hops=(HopClaim("x", "is", amount),))

    draft = compare_measures("Who is older, Ann Lund or Per Holm?", answer)

    assert asked == ["How old is Ann Lund?", "How old is Per Holm?"]
    assert draft is not None
    assert draft.answers == ("Per Holm",)


@pytest.mark.parametrize(
    "question", ["Who is older?", "Which boats are longer than 10 metres?", "What is more, why?"]
)
def test_other_questions_compare_no_two_things(question: str) -> None:
    assert compare_measures(question, lambda _: pytest.fail("nothing is asked")) is None


def test_a_difference_is_told_of_amounts_in_one_unit_alone() -> None:
    amounts = {"kettle": "1.2 kg", "pan": "800 g"}

    def answer(question: str) -> Draft:
        amount = next(told for thing, told in amounts.items() if thing in question)
        return Draft("graph_search", (amount,), hops=(HopClaim("x", "is", amount),))

    heavier = compare_measures("Which is heavier, the kettle or the pan?", answer)

    assert heavier is not None
    assert heavier.answers == ("kettle",)
    assert compare_measures("How much heavier is the kettle than the pan?", answer) is None


YEARS = {"How old is the Dipper?": "2005", "How old is the Heron?": "2020"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is the Dipper older than the Heron?", "yes"),
        ("Is the Dipper newer than the Heron?", "no"),
        ("Which is older, the Dipper or the Heron?", "Dipper"),
        ("Which is newer, the Dipper or the Heron?", "Heron"),
        ("How much older is the Dipper than the Heron?", "15 years"),
    ],
)
def test_what_was_made_in_an_earlier_year_is_older(question: str, answer: str) -> None:
    draft = compare_measures(question, lambda asked: Draft("tables", (YEARS[asked],)))
    assert draft is not None
    assert draft.text == answer


@pytest.mark.parametrize("ages", [("2005", "18 years"), ("2005", "3 May 2005")])
def test_an_age_that_two_values_leave_open_is_not_compared(ages: tuple[str, str]) -> None:
    told = iter(ages)
    question = "Is the Dipper older than the Heron?"
    assert compare_measures(question, lambda _: Draft("graph_search", (next(told),))) is None
