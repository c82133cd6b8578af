from __future__ import annotations

import pytest

from hoptrail.agents.language.labelled_text import labelled_parts, part_at


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
