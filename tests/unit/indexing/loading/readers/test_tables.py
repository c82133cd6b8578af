"""The rows of a table as text and as cells."""

from collections.abc import Sequence

from hoptrail.indexing.loading.readers.table_heads import GridRow
from hoptrail.indexing.loading.readers.tables import (
    SpannedRows,
    ToldRow,
    table_blocks,
    told_rows,
    told_table,
)


def texts(rows: Sequence[Sequence[str]]) -> list[tuple[int, str]]:
    return [(row.number, row.text) for row in told_rows(rows)]


def cells(rows: Sequence[Sequence[str]]) -> list[tuple[str, str, tuple[str, ...]]]:
    told = (row.row for row in told_rows(rows))
    return [(row.kind, row.section, row.cells) for row in told if row is not None]


def test_the_first_row_of_names_is_the_header_and_titles_above_it_are_told() -> None:
    rows = [["Prices"], [], ["Berth", "Price"], ["Hall A", "12"]]
    assert texts(rows) == [(1, "Prices"), (4, "Berth: Hall A; Price: 12")]


def test_numbers_alone_are_told_as_they_are() -> None:
    assert texts([["1", "2"], ["3", "4"]]) == [(1, "1; 2"), (2, "3; 4")]
    assert cells([["1", "2"], ["3", "4"]]) == []


def test_cells_beyond_the_header_have_no_name() -> None:
    assert texts([["A", "B"], ["x", "y", "z"]]) == [(2, "A: x; B: y; z")]


def test_a_table_whose_rows_are_all_names_is_told_by_them() -> None:
    assert told_table([["North", "South"]]) == [ToldRow(1, "North; South")]


def test_a_row_that_sums_up_is_told_apart() -> None:
    rows = [["Depot", "Staff"], ["Halden", "34"], ["Total", "34"], ["Totley", "2"]]
    kinds = [kind for kind, *_ in cells(rows)]
    assert kinds == ["row", "total", "row"]


def test_a_line_alone_among_the_rows_is_the_section_of_those_below() -> None:
    rows = [
        ["Item", "Size", "Price"],
        ["Bread", "", ""],
        ["Rye", "1 kg", "4"],
        ["Cakes", "", ""],
        ["Plum", "small", "3"],
    ]
    assert texts(rows)[0] == (2, "#### Bread")
    assert [section for _, section, _ in cells(rows)] == ["Bread", "Cakes"]


def test_of_two_columns_a_line_alone_is_a_section_where_one_stands_above_all_rows() -> None:
    sections = [["Item", "Price"], ["Bread", ""], ["Rye", "4"], ["Cakes", ""], ["Plum", "3"]]
    gap = [["Item", "Price"], ["Rye", ""], ["Spelt", "5"], ["Plum", "3"]]
    assert [section for _, section, _ in cells(sections)] == ["Bread", "Cakes"]
    assert [own for _, _, own in cells(gap)] == [("Rye", ""), ("Spelt", "5"), ("Plum", "3")]


def test_a_line_behind_the_rows_is_a_note() -> None:
    rows = [["Item", "Size", "Price"], ["Rye", "1 kg", "4"], [], ["Prices include VAT", "", ""]]
    assert texts(rows)[-1] == (4, "Prices include VAT")
    assert len(cells(rows)) == 1


def test_a_second_table_of_a_sheet_has_its_own_head() -> None:
    rows = [
        ["Item", "Price"],
        ["Rye", "4"],
        [],
        ["Name", "Town"],
        ["Ann", "Orrin"],
    ]
    heads = [row.row.head.columns for row in told_rows(rows) if row.row is not None]
    assert heads == [("Item", "Price"), ("Name", "Town")]


def test_a_head_that_comes_once_more_is_no_row() -> None:
    rows = [["Item", "Price"], ["Rye", "4"], ["Item", "Price"], ["Plum", "3"]]
    assert len(cells(rows)) == 2


def test_a_cell_over_several_rows_is_told_in_each_and_over_columns_in_the_first() -> None:
    spanned = SpannedRows()
    assert spanned.row([("North", 1, 2), ("Parcel", 2, 1)]) == GridRow(["North", "Parcel"], {1: 2})
    assert spanned.row([("Bulk", 1, 1), ("5", 1, 1)]) == GridRow(["North", "Bulk", "5"])


def test_a_table_that_is_too_wide_says_so() -> None:
    assert "300 columns" in table_blocks([[str(number) for number in range(300)]])[0].text


def test_a_row_with_a_number_that_was_worked_out_says_so_in_its_place() -> None:
    rows = [GridRow(["Depot", "Staff"]), GridRow(["Total", "46"], is_computed=True)]
    assert [told.block("row 2").place for told in told_table(rows)] == ["row 2, computed"]
