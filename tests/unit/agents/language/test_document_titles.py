from __future__ import annotations

import pytest

from hoptrail.agents.language.document_titles import may_name_person, names_text


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
