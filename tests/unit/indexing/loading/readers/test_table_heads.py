from hoptrail.indexing.loading.readers.table_heads import GridRow, find_head, is_header


def head(*rows: list[str]) -> tuple[tuple[str, ...], int] | None:
    return find_head([GridRow(row) for row in rows])


def test_a_header_has_two_short_different_names_or_more() -> None:
    assert is_header(["Name", "Role"])
    assert not is_header(["Name", "Name"])
    assert not is_header(["Name", "12.50"])
    assert not is_header(["Name"])
    assert not is_header(["Name", "word " * 20])


def test_years_in_turn_are_names() -> None:
    assert is_header(["Group", "2021", "2022", "2023"])
    assert is_header(["Group", "Unit", "2020", "2015", "2010"])
    assert not is_header(["2021", "2022", "2023"])
    assert not is_header(["Ann Holt", "1998", "2003"])
    assert not is_header(["Adults", "84", "85"])


def test_a_cell_over_several_names_stands_before_each_of_them() -> None:
    rows = [
        GridRow(["Course", "Fee", ""], {1: 2}),
        GridRow(["Course", "Members", "Guests"]),
        GridRow(["Pottery", "120", "150"]),
    ]
    assert find_head(rows) == (("Course", "Fee Members", "Fee Guests"), 2)


def test_a_gap_beside_a_name_is_part_of_it_where_numbers_stand_below() -> None:
    found = head(
        ["", "Members", "", "Guests", ""],
        ["Boat", "Half day", "Full day", "Half day", "Full day"],
        ["Skiff", "20", "35", "25", "45"],
    )
    names = ("Boat", "Members Half day", "Members Full day", "Guests Half day", "Guests Full day")
    assert found == (names, 2)


def test_a_first_row_of_words_is_no_second_head() -> None:
    assert head(["Name", "", "Town"], ["Ann", "Holt", "Orrin"], ["Ben", "Lowe", "Tarn"]) == (
        ("Name", "", "Town"),
        1,
    )


def test_a_row_of_units_belongs_to_the_heads() -> None:
    found = head(["Boat", "Length", "Price"], ["", "m", "(£)"], ["Skiff", "4", "20"])
    assert found == (("Boat", "Length (m)", "Price (£)"), 2)


def test_heads_that_stand_twice_above_numbers_get_their_number() -> None:
    assert head(["Item", "Price", "Price"], ["Tea", "2", "3"]) == (
        ("Item", "Price", "Price (2)"),
        1,
    )
    assert head(["Tea", "Tea"], ["Ann", "Ben"]) is None
