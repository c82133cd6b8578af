from __future__ import annotations

import pytest

from hoptrail.agents.language.topics import (
    ThingNamed,
    defines_thing,
    may_name_person,
    names_text,
    other_thing,
)
from hoptrail.core.text import sentence_spans


@pytest.mark.parametrize(
    "title",
    [
        "Minutes of the annual general meeting",
        "THE OAR - Spring 2025",
        "Re: Summer camp for juniors",
        "RENTAL AGREEMENT",
        "PHONE LIST (January 2025)",
        "Handbook for new members",
        "About Quill Bakery",
    ],
)
def test_a_text_is_told_by_its_title_and_is_nobody(title: str) -> None:
    assert names_text(title)
    assert not may_name_person(title)


@pytest.mark.parametrize("title", ["Blue Mill", "Ball machine Lobster", "The Norrick Bridge"])
def test_a_thing_is_no_text(title: str) -> None:
    assert not names_text(title)


@pytest.mark.parametrize("title", ["Ball machine Lobster", "Route 66", "Spring 2025", ""])
def test_a_thing_of_common_words_or_with_a_number_is_nobody(title: str) -> None:
    assert not may_name_person(title)


@pytest.mark.parametrize(
    "title",
    [
        "Marie Curie",
        "HMS Victory",
        "Majd al-Dawla",
        "Minamoto no Chikako",
        "Charles d'Évreux",
        "James Lyon, 7th Earl of Strathmore",
    ],
)
def test_names_with_particles_may_be_persons(title: str) -> None:
    assert may_name_person(title)


NOTES = "The bridge was built in 1802 by Amos Crane. It is 31 metres long."
DEFINED = "Red Fern is a 1951 film. The film was shot in Varde. It won a prize."


@pytest.mark.parametrize(
    "text",
    [
        "Alding Mill is a flour mill in Alding.",
        "Alding is a town on the Arn.",
        "The Tern was a ship built in 1871.",
    ],
)
def test_definition_by_a_noun_of_things_is_of_a_thing(text: str) -> None:
    assert defines_thing(text)


@pytest.mark.parametrize(
    "text",
    [
        "Anna Reed was a film director and screenwriter.",
        "Tom Reed is an actor.",
        "Tom Reed ran the mill.",
    ],
)
def test_person_and_undefined_topic_are_no_things(text: str) -> None:
    assert not defines_thing(text)


@pytest.mark.parametrize(
    ("sentence", "title", "thing"),
    [
        ("The bridge was built in 1802.", "Notes on Hartley village", "The bridge"),
        ("- The old water pump was given by Lady Fern.", "Hartley", "The old water pump"),
        ("A new cooker was bought in May.", "Hartley Village Hall", "A new cooker"),
        ("The well on the site was dug in 1933.", "The Millbrook site", "The well"),
        ("The Hotel Edelgrat stands on the pass.", "Varn Saddle", "The Hotel Edelgrat"),
    ],
)
def test_what_a_sentence_begins_with_may_be_another_thing_than_the_topic(
    sentence: str, title: str, thing: str
) -> None:
    assert other_thing(sentence, title, NOTES) == thing


@pytest.mark.parametrize(
    ("sentence", "title", "text"),
    [
        ("The hall was opened in 1955.", "Hartley Village Hall", NOTES),
        ("The film was shot in Varde.", "Red Fern", DEFINED),
        ("The Hotel Edelgrat stands on the pass.", "Hotel Edelgrat", NOTES),
        ("The Northern Lights were seen there.", "Varn Saddle", NOTES),
        ("The film was shot in Varde.", "Red Fern", "The film was shot in Varde."),
        ("Amos Crane built the bridge.", "Notes on Hartley village", NOTES),
        ("It is 31 metres long.", "Notes on Hartley village", NOTES),
        ("This was opened in 1802.", "Notes on Hartley village", NOTES),
    ],
)
def test_the_topic_and_its_nouns_are_no_other_thing(sentence: str, title: str, text: str) -> None:
    assert other_thing(sentence, title, text) == ""


def test_it_means_what_was_named_within_the_paragraph() -> None:
    text = "The bridge was built in 1802. It is long. This was new.\n\nIt lies on the Arn."
    things = ThingNamed(text)

    about = [things.about(start, end, "Hartley village") for start, end in sentence_spans(text)]

    assert about == ["The bridge", "The bridge", "The bridge", ""]
