"""Sheets and tables that are too large, or drawn over each other: named, bounded, the rest read."""

from pathlib import Path

import openpyxl

from hoptrail.indexing.loading.readers.data_files import read_delimited
from hoptrail.indexing.loading.readers.web_pages import read_html
from hoptrail.indexing.loading.readers.workbooks import read_workbook


def test_a_sheet_with_rows_far_apart_is_read_by_what_it_holds(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Berth", "Price"])
    sheet.append(["Hall", 12])
    sheet.cell(1_048_576, 1, "Slip")
    book.save(tmp_path / "a.xlsx")
    texts = [block.text for block in read_workbook(tmp_path / "a.xlsx").blocks]
    assert texts[0] == "Berth: Hall; Price: 12"
    assert "Slip" in texts[1]


def test_a_sheet_of_all_columns_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append([f"c{number}" for number in range(16_384)])
    other = book.create_sheet("Prices")
    other.append(["Berth", "Price"])
    other.append(["Hall", 12])
    book.save(tmp_path / "a.xlsx")
    content = read_workbook(tmp_path / "a.xlsx")
    assert [block.text for block in content.blocks] == ["Berth: Hall; Price: 12"]
    ((part, reason),) = content.left_out
    assert part == "sheet Sheet"
    assert "16,384 columns" in reason


def test_merged_cells_over_merged_cells_are_read_once(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Region", "Shop", "Cases"], ["North", "Abel", 4], [None, "Fell", 3]):
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    sheet.merged_cells.add("A2:B3")
    book.save(tmp_path / "a.xlsx")
    texts = [block.text for block in read_workbook(tmp_path / "a.xlsx").blocks]
    assert texts[0] == "Region: North; Shop: Abel; Cases: 4"


def test_a_quote_that_never_closes_keeps_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('Item,Price\nRye,4\n"Plum,3\nTart,2\n')
    texts = [block.text for block in read_delimited(path).blocks]
    assert texts[0] == "Item: Rye; Price: 4"
    assert "Tart" in texts[1]


def test_a_table_within_a_table_is_read_by_its_own_head(tmp_path: Path) -> None:
    inner = "<table><tr><th>Item<th>Price</tr><tr><td>Rye<td>4</tr><tr><td>Tart<td>2</tr></table>"
    path = tmp_path / "a.html"
    path.write_text(f"<body><table><tr><td>Menu</td><td>{inner}</td></tr></table></body>")
    rows = [block.row for block in read_html(path).blocks if block.row is not None]
    assert [row.cells for row in rows] == [("Rye", "4"), ("Tart", "2")]
