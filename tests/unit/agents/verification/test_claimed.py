from __future__ import annotations

import pytest

from hoptrail.agents.verification.claimed import asked_event, asked_verb, unclaimed
from hoptrail.core.types import TrailHop
from tests.unit.agents.conftest import index_of


def test_the_deed_that_is_asked_for() -> None:
    assert asked_verb("Who probably built it?") == "built"
    assert asked_verb("Who was the builder?") is None


def test_the_event_of_which_the_time_is_asked() -> None:
    assert asked_event("When did Ida Holm die?") == "die"
    assert asked_event("When was the old mill closed?") == "closed"
    assert asked_event("When did Ida Holm take over the Tern?") is None
    assert asked_event('In what year was the singer who sang "Blue Mill" born?') == "born"
    assert asked_event("When is the fair?") is None


def told(
    question: str, text: str, subject: str, predicate: str, object_: str, title: str = "Notes"
) -> str | None:
    index = index_of(text, title=title)
    claim = f"{subject} {predicate} {object_}"
    hop = TrailHop(
        1, claim, subject, predicate, object_, support="stated", chunk_id="c1", start=0, quote=text
    )
    return unclaimed(question, object_, [hop], index)


BURNED = "The barn burned down in 1962 and was rebuilt two years later."
CLUB = "The Elm Club was founded in 1931 by Edna Wex, a teacher from Pell."
SERVICE = "Last year the service cost 148 pounds because the fan had to be replaced."


@pytest.mark.parametrize(
    ("question", "text", "claim", "reserve"),
    [
        (
            "When was the barn rebuilt?",
            BURNED,
            ("The barn", "burned down in", "1962"),
            'the passage says nothing of "rebuilt"',
        ),
        (
            "Who drove the most miles?",
            "Jo Ambler drove 3,900 miles.",
            ("3,900 miles", "was driven by", "Jo Ambler"),
            'the passage says nothing of "most"',
        ),
        (
            "Who owns the barn?",
            "The barn was built in 1887 by the engineer Jo Marr.",
            ("The barn", "was built in 1887 by the engineer", "Jo Marr"),
            'the passage says nothing of "owns"',
        ),
        (
            "Who founded Pell?",
            CLUB,
            ("The Elm Club", "was founded in 1931 by", "Edna Wex"),
            'the passage says nothing of "pell"',
        ),
        (
            "How much did the fan cost?",
            SERVICE,
            ("Last year the service", "cost", "148 pounds"),
            'the passage says nothing of "fan"',
        ),
        (
            "Who is the secretary?",
            "Ines Calder resigned as secretary.",
            ("Ines Calder", "resigned as", "secretary"),
            "no passage states what is asked in so many words",
        ),
        (
            "Who is at the desk from July?",
            "From July Ruth Linde replaces Berta Voss at the desk.",
            ("Ruth Linde", "replaces", "Berta Voss"),
            "no passage states what is asked in so many words",
        ),
        (
            "How much is taken off the rent?",
            "The rent of a full plot is £64 a year.",
            ("The rent of a full plot", "is", "£64 a year"),
            'the passage says nothing of "taken off"',
        ),
        (
            "Who is on the committee?",
            "The committee of the Elm Club was elected in May.",
            ("The committee", "of", "Elm Club"),
            "no passage states what is asked in so many words",
        ),
        (
            "Which version was released after Etch?",
            "Etch was released as version 4.0.",
            ("Etch", "was released as version", "4.0"),
            'the passage says nothing of "after"',
        ),
    ],
)
def test_what_another_clause_tells_is_not_claimed(
    question: str, text: str, claim: tuple[str, str, str], reserve: str
) -> None:
    assert told(question, text, *claim) == reserve


def test_a_title_does_not_make_another_subject_the_thing_that_is_asked() -> None:
    claim = ("Last year the service", "cost", "148 pounds")
    told_of = told("How much did the boiler cost?", SERVICE, *claim, title="Boiler notes")
    assert told_of == 'the passage says it of "Last year the service"'


@pytest.mark.parametrize(
    ("question", "text", "claim", "title"),
    [
        ("When did the barn burn down?", BURNED, ("The barn", "burned down in", "1962"), "Notes"),
        ("What does the hall cost?", "It costs 90 pounds.", ("It", "costs", "90 pounds"), "Hall"),
        ("Who is the treasurer?", "Treasurer: Ann Holt", ("Club", "Treasurer", "Ann Holt"), "Club"),
        (
            "How much is the kayak in July?",
            "Item: Kayak; July: 15; August: 18",
            ("Kayak", "July", "15"),
            "Prices",
        ),
    ],
)
def test_what_a_clause_a_row_or_a_title_tells_is(
    question: str, text: str, claim: tuple[str, str, str], title: str
) -> None:
    assert told(question, text, *claim, title=title) is None


def test_a_title_before_a_name_need_not_be_told() -> None:
    text = "Martha Quill has worked here since 1998."
    question = "Since when has Mrs Quill worked here?"
    assert told(question, text, "Martha Quill", "has worked here since", "1998") is None
