"""Of whom a claim tells what is asked."""

from __future__ import annotations

import pytest

from hoptrail.agents.verification.told_subject import of_other_subject
from hoptrail.core.types import TrailHop
from tests.unit.agents.conftest import index_of


def doubt(question: str, subject: str, predicate: str, object_: str) -> str | None:
    text = f"{subject} {predicate} {object_}."
    index = index_of(text)
    hop = TrailHop(
        1, text, subject, predicate, object_, support="stated", chunk_id="c1", quote=text
    )
    return of_other_subject(question, [object_], [hop], index)


@pytest.mark.parametrize(
    ("question", "claim", "teller"),
    [
        (
            "How many inhabitants does the River Teme have?",
            ("Aldbury", "lies on the River Teme and has", "900"),
            "Aldbury",
        ),
        (
            "Where was Bo Reed born?",
            ("Ann Holt", "married Bo Reed and was born in", "Alding"),
            "Ann Holt",
        ),
        ("How long is the River Teme?", ("Aldbury on the River Teme", "is", "2 miles"), "Aldbury"),
        (
            "When was Hallam Group founded?",
            ("The firm", "left Hallam Group and then moved in", "1902"),
            "The firm",
        ),
    ],
)
def test_what_is_said_of_a_thing_is_not_said_of_one_named_on_the_way(
    question: str, claim: tuple[str, str, str], teller: str
) -> None:
    told = doubt(question, *claim)
    assert told is not None
    assert told.startswith(f'the passage says it of "{teller}", not of "')


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("How many inhabitants does Aldbury have?", ("Aldbury", "lies on the Teme and has", "900")),
        (
            "How many mills does the River Teme have?",
            ("Aldbury", "lies on the River Teme, which has", "12"),
        ),
        (
            "How many seats does the Norhaven hall have?",
            ("The hall", "stands in Norhaven and has", "900"),
        ),
        (
            "When was Bo Reed chosen?",
            ("The club", "chose Bo Reed and Ann Holt in", "1902"),
        ),
        ("How many people does Aldbury have?", ("The population of Aldbury", "is", "900")),
    ],
)
def test_what_is_said_of_the_asked_thing_is_not_doubted(
    question: str, claim: tuple[str, str, str]
) -> None:
    assert doubt(question, *claim) is None
