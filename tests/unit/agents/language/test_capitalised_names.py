from __future__ import annotations

import pytest

from hoptrail.agents.language.capitalised_names import capitalised_spans, proper_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It was repaired by Orrin & Sons for 412 pounds.", ["Orrin & Sons"]),
        ("They left the Aldermoor Works in 1921.", ["Aldermoor Works"]),
        ("It was passed as the Ferry Act of 1834.", ["Ferry Act of 1834"]),
        ("She studied at the University of Varde.", ["University of Varde"]),
    ],
)
def test_number_behind_a_connector_is_part_of_a_name_only_behind_of(
    text: str, names: list[str]
) -> None:
    assert [text[start:end] for start, end in capitalised_spans(text)] == names


def test_words_of_talk_are_no_names() -> None:
    assert proper_names("I'm in! Can't wait. Great, Ann! Yeah, I'll come. You've met Bo?") == [
        "Ann",
        "Bo",
    ]


def test_what_a_name_owns_is_part_of_the_name() -> None:
    text = "They left St John's College, and Lloyd's Bank, in Ann Holt's van."
    assert proper_names(text) == ["St John's College", "Lloyd's Bank", "Ann Holt"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Similar to Worker, it stops.", ["Worker"]),
        ("Trailing slashes are ignored.", []),
        ("Trailing Edge was a band.", ["Trailing Edge"]),
        ("Mark paid.", ["Mark"]),
    ],
)
def test_a_word_that_is_no_name_alone_may_open_a_sentence(text: str, names: list[str]) -> None:
    assert proper_names(text) == names


def test_a_name_may_be_what_several_own() -> None:
    text = "It ran in the Directors' Fortnight, at the Farmers’ Market and in Dickens' London."
    assert proper_names(text) == ["Directors' Fortnight", "Farmers’ Market", "Dickens", "London"]


@pytest.mark.parametrize(
    ("question", "names"),
    [("May I bring a dog?", []), ("May we come?", []), ("Is May Lund in?", ["May Lund"])],
)
def test_the_verb_that_asks_leave_is_no_name(question: str, names: list[str]) -> None:
    assert proper_names(question) == names
