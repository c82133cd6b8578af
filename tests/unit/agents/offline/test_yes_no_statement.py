"""Yes or no about one statement: the name in the question answers the question for it, or not."""

from __future__ import annotations

import pytest

from hoptrail.agents.offline.yes_no_statement import confirm, find_statement
from hoptrail.core.types.draft import Draft, HopClaim
from tests.unit.agents.conftest import index_of

TOLD = {
    "Who is the treasurer?": "Ann Holt",
    "Who was the hall built by?": "Bo Reed",
}


def answer(question: str) -> Draft | None:
    if question not in TOLD:
        return None
    claim = HopClaim("x", "is", TOLD[question])
    return Draft("graph_search", (TOLD[question],), hops=(claim,), reserve="")


@pytest.mark.parametrize(
    ("question", "given", "reserve"),
    [
        ("Is Ann Holt the treasurer?", "yes", ""),
        ("Is Cy Dale the treasurer?", "no", 'the passage says "Ann Holt"'),
        ("Was the hall built by Bo Reed?", "yes", ""),
        ("Was the hall built by Ann Holt?", "no", 'the passage says "Bo Reed"'),
    ],
)
def test_a_name_is_confirmed_by_asking_for_it(question: str, given: str, reserve: str) -> None:
    draft = confirm(question, answer)
    assert draft is not None
    assert (draft.text, draft.reserve) == (given, reserve)
    assert draft.derived


@pytest.mark.parametrize(
    "question",
    [
        "Did Ann Holt found the club?",
        "Is Ann Holt a member?",
        "Is the hall heated?",
        "Is Ann Holt the secretary?",  # which nothing tells
    ],
)
def test_what_asks_for_more_than_a_name_is_left_open(question: str) -> None:
    assert confirm(question, answer) is None


def statement(question: str, text: str) -> Draft | None:
    return find_statement(question, index_of(text, title="Rules"))


@pytest.mark.parametrize(
    ("question", "text", "given"),
    [
        ("Do you lend ladders?", "We do not lend ladders.", "no"),
        ("Is paddling alone allowed?", "Paddling alone is not allowed.", "no"),
        ("Are barbecues allowed on the lawn?", "Barbecues are allowed on the lawn.", "yes"),
        ("Did Ann Holt build Elm Hall?", "Elm Hall was built by Ann Holt.", "yes"),
    ],
)
def test_a_sentence_that_says_or_denies_the_whole_question_answers_it_plainly(
    question: str, text: str, given: str
) -> None:
    draft = statement(question, text)
    assert draft is not None
    assert (draft.text, draft.reserve) == (given, "")
    assert draft.hops[0].claim == text.strip(".")


@pytest.mark.parametrize(
    ("question", "text", "given"),
    [
        ("Does the flapjack contain nuts?", "The flapjack contains nuts and seeds.", "yes"),
        ("Is paddling alone allowed?", "Paddling alone is forbidden.", "no"),
        ("Is the hall open on Sunday?", "The hall is closed on Sunday.", "no"),
        ("Do the Rules allow boats with sails?", "Boats with sails are allowed.", "yes"),
    ],
)
def test_what_else_the_sentence_says_is_told(question: str, text: str, given: str) -> None:
    draft = statement(question, text)
    assert draft is not None
    assert (draft.text, draft.reserve) == (given, f'the passage says "{text}"')


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Do you take dogs?", "We do not take cats."),
        ("Is the pool open before nine?", "The pool is open after nine."),
        ("Can I bring a dog?", "You could bring a dog if the board agrees."),
        ("Did Ann Holt teach Bo Reed?", "Bo Reed taught Ann Holt."),
        ("Is the hall heated?", "Is the hall heated?"),
        ("Is it open?", "The hall is open."),
        ("Is the hall open on Sunday?", "The hall is never closed on Sunday."),
        ("Does the shop take cash?", "The desk takes cash; the shop takes cards."),
        ("Is a lost fob free?", "The first fob is free, a lost one costs £8."),
        ("Do you open to start?", "It ends when we close."),
    ],
)
def test_another_thing_a_doubt_or_a_question_says_neither_yes_nor_no(
    question: str, text: str
) -> None:
    assert statement(question, text) is None
