"""Sheets as a person sees them: merged cells, formats, hidden sheets, formulas."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from hoptrail.indexing.loading.readers.content import Content
from hoptrail.indexing.loading.readers.workbooks import formatted, read_workbook


def read(book: Any, folder: Path) -> Content:
    book.save(folder / "a.xlsx")
    return read_workbook(folder / "a.xlsx")


def texts(content: Content) -> list[str]:
    return [block.text for block in content.blocks]


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (0.256, "0.0%", "25.6%"),
        (0.07, "0%", "7%"),
        (1234.5, "#,##0.00 [$€-407]", "1234.5 €"),
        (18400, '"$"#,##0', "$18400"),
        (-20, '"$"#,##0_);[Red]("$"#,##0)', "-$20"),
        (21, '#,##0.00 "EUR"', "21 EUR"),
        (421, "00000", "00421"),
        (0.5, "# ?/?", "0.5"),
        (1500000.0, "0.00E+00", "1500000"),
        (12.5, "General", "12.5"),
        (3, "@", "3"),
    ],
)
def test_a_number_has_the_signs_of_its_format(value: float, number_format: str, shown: str) -> None:
    assert formatted(value, number_format) == shown


def test_a_merged_cell_holds_for_each_of_its_rows(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (
        ["Region", "Year", "Boats"],
        ["North", 2023, 4],
        [None, 2024, 6],
        ["South", 2024, 1],
    ):
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    assert texts(read(book, tmp_path)) == [
        "Region: North; Year: 2023; Boats: 4",
        "Region: North; Year: 2024; Boats: 6",
        "Region: South; Year: 2024; Boats: 1",
    ]


def test_a_cell_merged_over_a_million_rows_fills_those_alone_that_say_something(
    tmp_path: Path,
) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Hall A", "dry"])
    book.active.append([None, "wet"])
    book.active.merge_cells("A1:A2000")
    (merged,) = book.active.merged_cells.ranges
    merged.expand(down=1048576 - 2000)  # without a million empty cells, which take minutes
    assert len(read(book, tmp_path).blocks) <= 2


def test_a_hidden_sheet_is_left_out_and_named(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Berth", "Price"])
    book.active.append(["Slip", 9400])
    hidden = book.create_sheet("Pay")
    hidden.append(["Name", "Pay"])
    hidden.append(["Eskil", 5000])
    hidden.sheet_state = "hidden"
    content = read(book, tmp_path)
    assert texts(content) == ["Berth: Slip; Price: 9400"]
    assert [part for part, _ in content.left_out] == ["sheet Pay"]


def test_formulas_without_a_value_are_named(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Sums"
    book.active.append(["Berth", "Price"])
    book.active.append(["Slip", "=VLOOKUP(A1,B:C,2)"])
    content = read(book, tmp_path)
    assert texts(content) == ["Berth: Slip"]
    ((part, reason),) = content.left_out
    assert part == "sheet Sums"
    assert "formula" in reason


def test_simple_formulas_without_a_value_are_worked_out_and_told_as_computed(
    tmp_path: Path,
) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Berth", "Price"])
    book.active.append(["Slip", 1.5])
    book.active.append(["Total", "=SUM(B2:B2)*2"])
    content = read(book, tmp_path)
    assert texts(content)[-1] == "Berth: Total; Price: 3"
    assert [block.place for block in content.blocks] == [
        "sheet Sheet, row 2",
        "sheet Sheet, row 3, computed",
    ]
    assert not content.left_out


def test_hidden_rows_and_columns_are_left_out_and_named(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Berth", "Price", "Cost"], ["Hall", 12, 7], ["Slip", 9, 5]):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    content = read(book, tmp_path)
    assert texts(content) == ["Berth: Hall; Price: 12"]
    assert content.left_out == (
        ("sheet Sheet", "row 3 and column C are hidden: show them in the file to index them"),
    )


def test_a_head_over_several_columns_stands_before_each(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Course", "Fee", None], [None, "Members", "Guests"], ["Pottery", 120, 150]):
        sheet.append(row)
    sheet.merge_cells("A1:A2")
    sheet.merge_cells("B1:C1")
    assert texts(read(book, tmp_path)) == ["Course: Pottery; Fee Members: 120; Fee Guests: 150"]


def test_dates_times_and_spans_of_time_are_told_as_shown(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Day", "Moment", "Hour", "Worked"])
    day, moment = datetime.date(2024, 3, 1), datetime.datetime(2024, 3, 1, 14, 30)
    book.active.append([day, moment, datetime.time(9, 15), datetime.timedelta(hours=30)])
    assert texts(read(book, tmp_path)) == [
        "Day: 2024-03-01; Moment: 2024-03-01 14:30; Hour: 09:15; Worked: 30:00"
    ]
