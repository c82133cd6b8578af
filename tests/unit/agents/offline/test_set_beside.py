from __future__ import annotations

import pytest

from hoptrail.agents.offline.set_beside import with_those_beside
from hoptrail.core.types.draft import Draft, HopClaim
from tests.unit.agents.conftest import index_of


def extended(question: str, text: str, claim: HopClaim, *, answer: str) -> Draft:
    draft = Draft("graph_search", (answer,), hops=(claim,), reserve="")
    return with_those_beside(draft, question, index_of(text, title="Blue Mill"))


def test_who_did_it_are_all_that_the_sentence_names() -> None:
    draft = extended(
        "Who founded Blue Mill?",
        "Blue Mill was founded in 1961 by Ann Holt, Bo Reed and Cy Dale.",
        HopClaim("Blue Mill", "was founded by", "Cy Dale", "c1"),
        answer="Cy Dale",
    )

    assert draft.text == "Ann Holt; Bo Reed; Cy Dale"
    assert [hop.object for hop in draft.hops] == ["Ann Holt, Bo Reed and Cy Dale"]
    assert draft.reserve == ""


def test_names_of_equal_sentences_are_given_together_with_reserve() -> None:
    draft = extended(
        "Who won the Gull Cup?",
        "The Gull Cup was won by Ann Holt in 2021. The Gull Cup was won by Bo Reed in 2022.",
        HopClaim("The Gull Cup", "was won by", "Ann Holt", "c1"),
        answer="Ann Holt",
    )

    assert draft.answers == ("Ann Holt", "Bo Reed")
    assert draft.reserve


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which man founded Blue Mill?", "Blue Mill was founded by Ann Holt and Bo Reed."),
        ("Who founded Blue Mill?", "Blue Mill was founded by Ann Holt, and Bo Reed joined her."),
        ("Who founded Blue Mill?", "Blue Mill was founded by Ann Holt and Bo Reed joined her."),
        ("Who founded Blue Mill?", "Blue Mill was founded by Ann Holt of Leeds and York."),
    ],
)
def test_an_answer_stays_alone(question: str, text: str) -> None:
    draft = extended(
        question, text, HopClaim("Blue Mill", "was founded by", "Ann Holt", "c1"), answer="Ann Holt"
    )

    assert draft.answers == ("Ann Holt",)
