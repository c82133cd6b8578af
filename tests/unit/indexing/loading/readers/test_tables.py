from __future__ import annotations

from hoptrail.indexing.loading.readers.tables import is_header, told_rows, told_table


def test_the_header_is_the_first_row_of_names() -> None:
    rows = [["Prices"], [], ["Berth", "Price"], ["Hall A", "12"]]
    assert list(told_rows(rows)) == [(1, "Prices"), (4, "Berth: Hall A; Price: 12")]


def test_a_table_of_numbers_has_no_header() -> None:
    assert list(told_rows([["1", "2"], ["3", "4"]])) == [(1, "1; 2"), (2, "3; 4")]


def test_cells_beyond_the_header_are_told_alone() -> None:
    assert list(told_rows([["A", "B"], ["x", "y", "z"]])) == [(2, "A: x; B: y; z")]


def test_a_table_of_one_row_is_told_as_it_is() -> None:
    assert told_table([["North", "South"]]) == ["North; South"]


def test_names_are_short_different_and_no_numbers() -> None:
    assert is_header(["Name", "Role"])
    assert not is_header(["Name", "Name"])
    assert not is_header(["Name", "12.50"])
    assert not is_header(["Name"])
    assert not is_header(["Name", "word " * 20])


def test_years_in_turn_are_names_of_columns() -> None:
    assert is_header(["Group", "2021", "2022", "2023"])
    assert is_header(["Group", "Unit", "2020", "2015", "2010"])
    assert not is_header(["2021", "2022", "2023"])
    assert not is_header(["Ann Holt", "1998", "2003"])
    assert not is_header(["Adults", "84", "85"])
