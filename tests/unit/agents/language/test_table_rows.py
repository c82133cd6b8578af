from __future__ import annotations

import pytest

from hoptrail.agents.language.line_layout import labelled_parts
from hoptrail.agents.language.table_rows import identifying_parts, key_part, row_name

FLATS = """Flat: 11; Tenant: Ann Holt; Floor: 1
Flat: 12; Tenant: Bo Reed; Floor: 1"""
LINES = """Line: 7; From: Alder Court; To: Quay
Line: 12; From: Alder Court; To: Hospital"""
BOOKINGS = """No.: 1; Date: 2025-05-05; Room: Cedar; Booked by: Ann Holt
No.: 2; Date: 2025-05-06; Room: Cedar; Booked by: Bo Reed"""


def called(passage: str, place: int = 0) -> list[str]:
    row = passage.split("\n")[place]
    return [row_name(part, row) for part in identifying_parts(labelled_parts(row), row, passage)]


@pytest.mark.parametrize(
    ("row", "label"),
    [
        ("station: Moorgate; line: North Line", "station"),
        ("no: 4; resident: Ann Holt; room: B2", "resident"),
        ("supplier: Reed; item: Pump; price: 20", "item"),
        ("Article no.: 4711; Description: Hinge, brass; Price EUR: 6,80", "Description"),
        ("SKU: BX-200; Stock: 140; Shelf: C4", "SKU"),
        ("Lot: 101; Winning bid: 240; Paid: yes", "Lot"),
        ("Date: 2025-05-05; Speaker: Ann Holt; Fee: 40", "Speaker"),
    ],
)
def test_row_tells_about_its_name_else_a_code_else_the_first_in_words(row: str, label: str) -> None:
    key = key_part(labelled_parts(row), row, row)
    assert key is not None
    assert key.label == label


def test_code_is_called_by_its_column() -> None:
    assert called(FLATS, 1) == ["Flat 12", "Bo Reed"]


@pytest.mark.parametrize(
    ("row", "others", "label"),
    [
        ("Price €: 310; Model: K4; Lead time: 5 days", "", "Model"),
        ("Price: 310; Model: K4; Lead time: 5 days", "Price: 41.50; Model: K5", "Model"),
        ("Weight kg: 310; Part: Oak door", "", "Part"),
    ],
)
def test_an_amount_names_no_row(row: str, others: str, label: str) -> None:
    key = key_part(labelled_parts(row), row, f"{row}\n{others}")
    assert key is not None and key.label == label


def test_words_that_stand_in_several_rows_stand_for_none_of_them() -> None:
    assert called(LINES) == ["Line 7"]


def test_words_that_no_other_row_has_come_before_the_mere_number_of_a_row() -> None:
    assert called(BOOKINGS) == ["Ann Holt", "No. 1"]
