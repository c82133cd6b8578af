"""Tables put together from the passages that tell their rows."""

from dataclasses import replace

import pytest

from hoptrail.core.tables.table import Table, assemble_tables
from hoptrail.core.types import Chunk, TablePart, TableRow


def chunk(number: int, text: str, *parts: TablePart) -> Chunk:
    return Chunk(f"c{number}", "d/a", "Prices", text, 100 * number, 100 * number + 90, tables=parts)


def table(labels: list[str], *rows: list[str]) -> Table:
    told = tuple(TableRow(10 * at, 10 * at + 9, tuple(row)) for at, row in enumerate(rows))
    part = TablePart(1, "", tuple(labels), told)
    (found,) = assemble_tables([Chunk("c", "d/a", "Prices", "x" * 500, 0, 500, tables=(part,))])
    return found


def test_rows_of_several_passages_are_one_table_with_what_stands_above() -> None:
    part = TablePart(1, "Bread", ("Item", "Price"), (TableRow(10, 20, ("Rye", "4")),))
    later = replace(part, rows=(TableRow(100, 110, ("Plum", "3")),))
    first = chunk(0, "# Our bread\n\nItem: Rye; Price: 4", part)
    first = replace(first, tables=(replace(part, rows=(replace(part.rows[0], start=13, end=32),)),))
    (found,) = assemble_tables([first, chunk(1, "Item: Plum; Price: 3", later)])
    assert [(row.chunk_id, row.row.cells[0]) for row in found.rows] == [
        ("c0", "Rye"),
        ("c1", "Plum"),
    ]
    assert (found.id, found.name, found.above) == ("d/a#1", "Bread", "Our bread")


def test_columns_have_the_kind_and_unit_of_their_cells() -> None:
    found = table(
        ["Item", "Price (£)", "From", "Opens", "Weight", ""],
        ["Rye", "4", "3 May 2024", "9:30", "2 kg", ""],
        ["Plum", "n/a", "4 May 2024", "10:00", "1 kg", ""],
    )
    assert [(column.kind, column.unit) for column in found.columns] == [
        ("text", ""),
        ("number", "£"),
        ("date", ""),
        ("time", ""),
        ("number", "kg"),
    ]


def test_a_table_has_one_decimal_sign() -> None:
    found = table(["Artikel", "Bestand", "Preis"], ["Rohr", "1.240", "3,85"], ["T", "86", "12,40"])
    assert found.value(0, found.columns[1]) == 1240


def test_the_key_tells_the_rows_apart() -> None:
    found = table(
        ["Region", "Shop", "Cases"],
        ["North", "Abel", "4"],
        ["North", "Fell", "3"],
        ["East", "Vale", "2"],
    )
    assert found.key.label == "Shop"
    assert found.row_name(1) == "Fell"


def test_no_amount_names_a_row() -> None:
    found = table(
        ["Region", "Service", "Price EUR", "Lead time"],
        ["North", "Pallet", "41.5", "1 day"],
        ["North", "Parcel", "7.9", "2 days"],
        ["North", "Bulk", "310", "5 days"],
        ["South", "Pallet", "55.2", "2 days"],
        ["South", "Parcel", "9.4", "3 days"],
    )
    assert found.row_name(2) == "Bulk"


def test_a_first_column_of_prices_names_no_row() -> None:
    found = table(
        ["Price (€)", "Item"], ["310", "Oak door"], ["120", "Pine shelf"], ["95", "Pine shelf"]
    )
    assert found.row_name(0) == "Oak door"


def test_the_number_of_a_thing_names_its_row() -> None:
    found = table(["Flat", "Tenant"], ["11", "Ann Holt"], ["12", "Bo Reed"], ["14", "Bo Reed"])
    assert found.row_name(2) == "14"


def test_a_column_that_sums_the_others_up_is_known() -> None:
    found = table(["Hall", "Q1", "Q2", "Year"], ["A", "1", "2", "3"], ["B", "4", "5", "9"])
    assert [column.label for column in found.summing_columns] == ["Year"]


def test_words_beside_numbers_do_not_make_text_of_a_column_whose_head_tells_a_unit() -> None:
    found = table(
        ["Item", "Hut (EUR)", "Hut"],
        ["Shower", "3", "3"],
        ["Tea", "free", "free"],
        ["Cake", "4.50", "4.50"],
        ["Key", "not sold", "not sold"],
    )
    assert [column.kind for column in found.columns] == ["text", "number", "text"]


def test_the_unit_of_a_number_in_a_head_is_not_that_of_its_cells() -> None:
    found = table(["Job", "over 9 m", "Length m"], ["Check", "98", "4"])
    assert [column.unit for column in found.columns] == ["", "", "m"]


@pytest.mark.parametrize(
    ("head", "rows", "totals"),
    [
        (
            ["Item", "Qty", "Price", "Cost"],
            [["A", "3", "2.5", "7.5"], ["B", "2", "4", "8"]],
            ["Cost"],
        ),
        (
            ["Job", "Hours", "Rate", "Labour", "Parts", "Charge"],
            [["A", "2", "28", "56", "19", "75"], ["B", "1", "30", "30", "0", "30"]],
            ["Charge"],
        ),
        (["City", "People", "Area"], [["A", "900", "20"], ["B", "700", "35"]], []),
    ],
)
def test_what_follows_from_two_other_columns_is_a_total_of_the_row(
    head: list[str], rows: list[list[str]], totals: list[str]
) -> None:
    assert [column.label for column in table(head, *rows).row_totals] == totals


def test_what_is_free_costs_nothing_in_a_column_of_prices() -> None:
    found = table(["Route", "Fare €"], ["R1", "7.50"], ["R2", "9"], ["R3", "free"])
    assert [found.value(row, found.columns[1]) for row in found.body] == [7.5, 9.0, 0.0]
