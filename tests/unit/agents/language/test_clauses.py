from __future__ import annotations

import re

import pytest

from hoptrail.agents.language.clauses import (
    coordinated,
    items_of,
    subordinate_clause,
    without_asides,
)


def test_brackets_and_other_names_become_spaces() -> None:
    text = "Tarn Mill (built 1901), also known as the Old Mill, is a mill."
    assert without_asides(text, []).split() == "Tarn Mill is a mill.".split()


def test_the_length_stays() -> None:
    text = "Tarn Mill (built 1901) is a mill."
    assert len(without_asides(text, [])) == len(text)


def test_an_aside_with_a_kept_part_stays() -> None:
    text = "Tarn Mill (built by Ann Lee) is a mill."
    start = text.index("Ann")
    assert without_asides(text, [(start, start + 7)]) == text


def beside(text: str, name: str) -> list[str]:
    members = [match.span() for match in re.finditer(r"[A-Z]\w+ [A-Z]\w+", text)]
    start = text.index(name)
    return [text[a:b] for a, b in coordinated(text, (start, start + len(name)), members)]


@pytest.mark.parametrize("name", ["Ann Holt", "Bo Reed", "Cy Dale"])
@pytest.mark.parametrize(
    "text",
    [
        "On board were Ann Holt, Bo Reed and Cy Dale.",
        "On board were Ann Holt (skipper), Bo Reed, and Cy Dale.",
    ],
)
def test_a_name_stands_in_a_list_with_those_beside_it(text: str, name: str) -> None:
    assert beside(text, name) == ["Ann Holt", "Bo Reed", "Cy Dale"]


@pytest.mark.parametrize(
    "text",
    [
        "Ann Holt, Bo Reed",
        "Ann Holt of Bo Reed",
        "Ann Holt and his Bo Reed",
        "Ann Holt and Bo Reed, Cy Dale",
    ],
)
def test_a_name_that_no_and_joins_last_stands_alone(text: str) -> None:
    assert beside(text, "Ann Holt") == ["Ann Holt"]


def test_items_are_what_commas_and_and_divide() -> None:
    text = "plasters, two bandages and a pair of gloves"

    assert [text[a:b] for a, b in items_of(text)] == [
        "plasters",
        "two bandages",
        "a pair of gloves",
    ]


@pytest.mark.parametrize(
    "text", ["a torch", "a torch, which was bought by the club last year in May"]
)
def test_one_thing_and_clauses_are_no_list(text: str) -> None:
    assert items_of(text) == []


@pytest.mark.parametrize(
    ("text", "part", "clause"),
    [
        ("It is empty since Mr Gadd moved to Spain.", "Mr Gadd", "Mr Gadd moved to Spain"),
        ("Tom locks it because Mrs Dale lost her key; Ann helps.", "Dale", "Mrs Dale lost her key"),
        ("Tom Ferrier locks it because the key was lost.", "Tom Ferrier", ""),
        ("He has led the yard since Easter 2020.", "2020", ""),
        ("When the pump fails, call Ann Holt.", "Ann Holt", ""),
    ],
)
def test_clause_of_another_event_is_found(text: str, part: str, clause: str) -> None:
    start = text.index(part)
    assert subordinate_clause(text, start, start + len(part)) == clause
