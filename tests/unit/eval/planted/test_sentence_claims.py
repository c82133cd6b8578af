from __future__ import annotations

import pytest

from hoptrail.eval.planted.sentence_claims import Passage, literal_claims, worded_claims

Fact = tuple[str, str, str]


def worded(title: str, text: str) -> set[tuple[str, str]]:
    found = list(worded_claims(Passage("p", title, text)))
    assert all(claim.subject == title for claim in found)
    return {(claim.object, claim.quote) for claim in found}


@pytest.mark.parametrize(
    ("title", "text", "objects"),
    [
        (
            "Ada Koss",
            "Ada Maria Koss (4 May 1902 – 7 June 1980) was a Danish politician.",
            {"4 May 1902", "7 June 1980", "Danish", "politician"},
        ),
        ("Red Mill", "Red Mill is a 1951 film written and directed by Ada Koss.", {"Ada Koss"}),
        ("Ada Koss", "Ada Koss paints. She was born in Varde.", {"Varde"}),
    ],
)
def test_known_wordings_are_read(title: str, text: str, objects: set[str]) -> None:
    assert {object_ for object_, _ in worded(title, text)} == objects


@pytest.mark.parametrize(
    "text",
    [
        "Red Mill is a sequel to the film Blue Mill, directed by Ada Koss.",
        "Red Mill is a film about a painter who was directed by Ada Koss.",
        "Red Mill was founded by Copenhagen native painters.",
        "Per Lund lived there. He died in Varde.",
    ],
)
def test_sentence_that_may_speak_of_something_else_gives_none(text: str) -> None:
    assert worded("Red Mill", text) == set()


def test_pronoun_of_the_other_sex_is_not_the_topic() -> None:
    text = "Jon Koss paints. He is tall. She died in Varde."
    assert worded("Jon Koss", text) == set()


def literal(sentence: str) -> list[Fact]:
    found = literal_claims(Passage("p", "Notes", sentence), [sentence])
    return [(claim.subject, claim.predicate, claim.object) for claim in found]


def test_words_between_subject_and_object_are_the_predicate() -> None:
    assert literal("The new pump was supplied by Corvane Works in May.") == [
        ("The new pump", "was supplied by", "Corvane Works")
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "The pump was not supplied by Corvane Works.",
        "The pump will be supplied by Corvane Works.",
        "In 1990 it was supplied by Corvane Works.",
        "Was it supplied by Corvane Works?",
    ],
)
def test_what_is_no_plain_statement_gives_none(sentence: str) -> None:
    assert literal(sentence) == []
