from __future__ import annotations

import pytest

from hoptrail.agents.language.line_layout import (
    column_line,
    days_of,
    labelled_parts,
    lists_in,
    part_at,
)


def told(text: str) -> list[tuple[str, str]]:
    return [(part.label, text[part.start : part.end]) for part in labelled_parts(text)]


def test_row_has_a_part_for_each_label() -> None:
    assert told("berth: Hall A; metres: 12; price: 18400") == [
        ("berth", "Hall A"),
        ("metres", "12"),
        ("price", "18400"),
    ]


def test_column_may_have_a_longer_name_than_a_line() -> None:
    assert told("berth: A; car up to 6 m one way EUR: 27.00")[1] == (
        "car up to 6 m one way EUR",
        "27.00",
    )


@pytest.mark.parametrize(
    "head",
    ["Price (£)", "£ each", "Share %", "max °C", "Bed & board", "No. #", "6-9 m", "Low – high"],
)
def test_column_may_have_any_sign_in_its_name(head: str) -> None:
    assert told(f"Thing: Lamp; {head}: 14.20; Colour: red") == [
        ("Thing", "Lamp"),
        (head, "14.20"),
        ("Colour", "red"),
    ]


def test_line_with_a_bold_label_has_one_part() -> None:
    assert told("**Duration:** 3 h 42 min") == [("Duration", "3 h 42 min")]


def test_list_item_with_a_label_has_one_part() -> None:
    assert told("- *Auditors:* as before.") == [("Auditors", "as before.")]


def test_sentence_has_no_labelled_part() -> None:
    assert told("The yard closed at 17:10, and the crew went home.") == []


def test_part_is_found_by_an_offset_in_it() -> None:
    text = "berth: Hall A; price: 18400"
    parts = labelled_parts(text)
    found = part_at(parts, text.index("18400"))
    assert found is not None
    assert found.label == "price"
    assert part_at(parts, 0) is None


@pytest.mark.parametrize(
    ("line", "head", "cells"),
    [
        ("Mon-Fri   9-17", "Mon-Fri", ["9-17"]),
        ("Saturday .... 10 to 14", "Saturday", ["10 to 14"]),
        ("Sat: 10-14", "Sat", ["10-14"]),
        ("Adult ........ 6.50 euros", "Adult", ["6.50 euros"]),
        ("Saturday      8-12           13-18", "Saturday", ["8-12", "13-18"]),
    ],
)
def test_gaps_and_dots_divide_a_line_into_columns(line: str, head: str, cells: list[str]) -> None:
    columns = column_line(line)

    assert columns is not None
    assert columns.head == head
    assert [line[start:end] for start, end in columns.cells] == cells


@pytest.mark.parametrize(
    "line", ["The pool is open.", "12   14", "Opening hours", "One.  Two\nlines"]
)
def test_ordinary_lines_have_no_columns(line: str) -> None:
    assert column_line(line) is None


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Mon-Wed", {0, 1, 2}),
        ("Saturdays", {5}),
        ("Sat & Sun", {5, 6}),
        ("Fri to Mon", {4, 5, 6, 0}),
        ("Tues, Thu", {1, 3}),
        ("Monday school", set()),
        ("Adult", set()),
    ],
)
def test_days_are_read_with_those_between(text: str, days: set[int]) -> None:
    assert days_of(text) == days


def told_listed_lines(text: str) -> list[tuple[str, list[str], bool]]:
    return [
        (one.lead, [text[start:end] for start, end in one.items], one.is_whole)
        for one in lists_in(text)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## Committee\n\n- Ann Holt\n- Bo Reed\n\nWe meet in May.",
        "Committee\n---------\n\n* Ann Holt\n* Bo Reed\n\nWe meet in May.",
        "COMMITTEE\n1. Ann Holt\n2. Bo Reed\n\nWe meet in May.",
        "Committee:\n  Ann Holt\n  Bo Reed\n\nWe meet in May.",
    ],
)
def test_items_stand_below_a_heading_or_a_colon(text: str) -> None:
    ((lead, items, is_whole),) = told_listed_lines(text)

    assert (lead.casefold(), items, is_whole) == ("committee", ["Ann Holt", "Bo Reed"], True)


def test_a_list_that_ends_the_text_may_go_on() -> None:
    assert told_listed_lines("Committee:\n- Ann Holt\n- Bo Reed") == [
        ("Committee", ["Ann Holt", "Bo Reed"], False)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Committee:\n- Ann Holt\n\nWe meet in May.",  # one item
        "- Ann Holt\n- Bo Reed\n",  # nothing above
        "Committee:\n- Ann Holt\n- Bo Reed who\nlives in Ribe\n",  # goes on in another way
        "## Committee\n\nAnn Holt\nBo Reed\n",  # lines of an ordinary text
    ],
)
def test_other_lines_are_no_list(text: str) -> None:
    assert told_listed_lines(text) == []
