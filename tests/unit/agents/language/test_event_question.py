from __future__ import annotations

import pytest

from hoptrail.agents.language.event_question import read_event_question


@pytest.mark.parametrize(
    ("question", "subject", "verb", "particle", "asks_where"),
    [
        ("When are bonfires allowed?", "bonfires", "allowed", "", False),
        ("When must the pitch fee be paid?", "pitch fee", "paid", "", False),
        ("Where does the quiz night take place?", "quiz night", "take", "place", True),
        ("When is the water turned off?", "water", "turned", "off", False),
    ],
)
def test_what_happens_to_which_thing(
    question: str, subject: str, verb: str, particle: str, *, asks_where: bool
) -> None:
    asked = read_event_question(question)

    assert asked is not None
    assert (asked.subject, asked.verb, asked.particle) == (subject, verb, particle)
    assert asked.asks_where is asks_where


def test_other_forms_of_a_verb_and_words_of_its_meaning_tell_it() -> None:
    asked = read_event_question("When are dogs allowed?")

    assert asked is not None
    assert asked.is_verb("permitted")
    assert not asked.is_verb("washed")


@pytest.mark.parametrize("question", ["When is the concert?", "Who is allowed in?", "Where is it?"])
def test_other_questions_ask_for_no_event(question: str) -> None:
    assert read_event_question(question) is None
