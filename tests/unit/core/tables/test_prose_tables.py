"""Lists and figures in prose as tables, with the characters that tell each row."""

import pytest

from hoptrail.core.tables.prose_tables import tables_of_prose
from hoptrail.core.types import Chunk

OFFERS = "We have three bids: Ashby (£1,400), Crane & Sons (£1,250) and Vole Works (£1,900)."


def passage(text: str, title: str = "") -> Chunk:
    return Chunk("c", "d/a", title, text, 500, 500 + len(text))


def cells(text: str, title: str = "") -> list[list[tuple[str, ...]]]:
    found = tables_of_prose([passage(text, title)])
    return [[one.row.cells for one in table.rows] for table in found]


def test_things_with_a_value_each_are_rows() -> None:
    (table,) = tables_of_prose([passage(f"It rained. {OFFERS}")])
    assert [column.label for column in table.columns] == ["bids", "£"]
    assert [one.row.cells for one in table.rows] == [
        ("Ashby", "£1,400"),
        ("Crane & Sons", "£1,250"),
        ("Vole Works", "£1,900"),
    ]
    assert table.headings == "We have three bids:"
    first = table.rows[0].row
    assert f"It rained. {OFFERS}"[first.start - 500 : first.end - 500] == "Ashby (£1,400)"


def test_what_a_sentence_says_before_the_first_name_is_no_part_of_it() -> None:
    (rows,) = cells("The halls that answered are Kiln Hall (120 seats) and Moor Barn (95 seats).")
    assert rows == [("Kiln Hall", "120 seats"), ("Moor Barn", "95 seats")]


@pytest.mark.parametrize(
    "text",
    [
        "Anna (32) came late.",
        "Ashby (£1,400) and Crane (12 %) answered.",
        "Ashby (a firm in Wick) and Crane (a firm in Holm) answered.",
        "Ashby (£1,400) is dear, and so we took Crane (£1,250).",
        "Bids came from Ashby (£1,400); the others who wrote were Crane (£1,250), Vole (£1,900).",
        "Bids: Ashby (£1,400), Crane (£1,250); later came Vole (£1,100) and Kern (£1,000).",
        "Bids came from Ashby (£1,400) and Crane (£1,250). Then Vole (£1,100) wrote.",
    ],
)
def test_brackets_that_are_no_list_of_values_are_no_table(text: str) -> None:
    assert cells(text) == []


def test_figures_with_those_of_the_year_before_have_a_column_for_each_year() -> None:
    text = "The year 2024\n\n41 tours (2023: 37), 9 talks (2023: 8)\n\nGuests: 1,280 (2023: 1,115)"
    (table,) = tables_of_prose([passage(text)])
    assert [column.label for column in table.columns] == ["", "2024", "2023"]
    assert [one.row.cells for one in table.rows] == [
        ("tours", "41", "37"),
        ("talks", "9", "8"),
        ("Guests", "1,280", "1,115"),
    ]


def test_figures_below_no_year_or_below_two_are_left_alone() -> None:
    assert cells("41 tours (2023: 37)") == []
    assert cells("41 tours (2023: 37)", "From 2020 to 2024") == []


@pytest.mark.parametrize(
    ("text", "label", "rows"),
    [
        (
            "# Ferries\n\nThe Otter carries 40 passengers. It rained. The Heron carries 65 "
            "passengers.",
            "carries passengers",
            [("Otter", "40"), ("Heron", "65")],
        ),
        (
            "The Otter costs £12. The Heron costs £9. The Swan costs £15.",
            "costs",
            [("Otter", "£12"), ("Heron", "£9"), ("Swan", "£15")],
        ),
    ],
)
def test_sentences_of_one_form_are_rows(text: str, label: str, rows: list[tuple[str, ...]]) -> None:
    (table,) = tables_of_prose([passage(text)])
    assert [column.label for column in table.columns] == ["", label]
    assert [one.row.cells for one in table.rows] == rows


@pytest.mark.parametrize(
    "other",
    [
        "The Heron costs 65 pounds.",
        "The Otter carries 65 passengers.",
        "The Heron no longer carries 65 passengers.",
        "It carries 65 passengers.",
        "The Heron carries 65 passengers. The Swan can carry up to 90 of them.",
    ],
)
def test_sentences_that_tell_a_part_or_of_one_thing_are_no_table(other: str) -> None:
    assert cells(f"The Otter carries 40 passengers. {other}") == []
