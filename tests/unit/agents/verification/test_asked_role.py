from __future__ import annotations

import pytest

from hoptrail.agents.verification.asked_role import asked_event, asked_verb, no_doer, unsaid_phrase
from hoptrail.core.types.draft import HopClaim


@pytest.mark.parametrize(
    ("question", "answer", "claim", "reason"),
    [
        (
            "Who built the Grey Petrel?",
            "Morning Tern",
            HopClaim("Morning Tern", "was built at", "Alder Yard"),
            "the question asks for the doer, and this is the thing that it was done to",
        ),
        (
            "Who sank the Morning Tern?",
            "Calder Point",
            HopClaim("Morning Tern", "ran aground in fog off", "Calder Point"),
            "the question asks for the doer, and this is a place",
        ),
        (
            "Who built the Averil Observatory?",
            "Oren Pascoe",
            HopClaim("Oren Pascoe", "built the great telescope of", "Averil Observatory"),
            'the passage says it of the telescope of "Averil Observatory"',
        ),
    ],
)
def test_what_did_not_do_it_is_no_answer(
    question: str, answer: str, claim: HopClaim, reason: str
) -> None:
    assert no_doer(question, answer, [claim]) == reason


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("Who built the Tern?", "Alder Yard", HopClaim("Tern", "was built at", "Alder Yard")),
        ("Who built the Tern?", "Edda Thorn", HopClaim("Tern", "was built by", "Edda Thorn")),
        ("Who won the medal?", "Ida Holm", HopClaim("Ida Holm", "was awarded", "the medal")),
        (
            "Who built the telescope of the observatory?",
            "Oren Pascoe",
            HopClaim("Oren Pascoe", "built the great telescope of", "Averil Observatory"),
        ),
        ("Who was built?", "Morning Tern", HopClaim("Morning Tern", "was built at", "Alder Yard")),
    ],
)
def test_what_may_have_done_it(question: str, answer: str, claim: HopClaim) -> None:
    assert no_doer(question, answer, [claim]) is None


def test_the_deed_that_is_asked_for() -> None:
    assert asked_verb("Who probably built it?") == "built"
    assert asked_verb("Who was the builder?") is None


def test_the_event_of_which_the_time_is_asked() -> None:
    assert asked_event("When did Ida Holm die?") == "die"
    assert asked_event("When was the old mill closed?") == "closed"
    assert asked_event("When did Ida Holm take over the Tern?") is None
    assert asked_event('In what year was the singer who sang "Blue Mill" born?') == "born"
    assert asked_event("When is the fair?") is None


@pytest.mark.parametrize(
    ("told", "unsaid"),
    [
        ("Grey Petrel was broken up in 1904", "come out"),
        ("Their album Grey Petrel came out in 1999", None),
        ("Grey Petrel was released in 1999", None),
    ],
)
def test_event_in_two_words_must_be_told(told: str, unsaid: str | None) -> None:
    assert unsaid_phrase("When did Grey Petrel come out?", told) == unsaid


def test_question_that_ends_with_one_verb_has_no_such_words() -> None:
    assert unsaid_phrase("When did Ida Holm die?", "Ida Holm sailed in 1904") is None
