from __future__ import annotations

from dataclasses import replace

from hoptrail.core.types.document import (
    TablePart,
    TableRow,
    place_of,
    places_within,
    tables_of,
    tables_text,
    tables_within,
)

PAGES = ((0, "page 1"), (100, "page 2"), (200, "page 3"))


def test_characters_of_one_place_have_its_name() -> None:
    assert place_of(PAGES, 0, 100) == "page 1"
    assert place_of(PAGES, 150, 160) == "page 2"
    assert place_of(PAGES, 200, 900) == "page 3"


def test_characters_of_several_places_have_the_first_and_the_last() -> None:
    assert place_of(PAGES, 50, 250) == "pages 1-3"
    rows = ((0, "sheet Paint, row 2"), (10, "sheet Paint, row 3"), (20, "sheet Wood, row 2"))
    assert place_of(rows, 0, 15) == "sheet Paint, rows 2-3"
    assert place_of(rows, 0, 25) == "sheet Paint, row 2 to sheet Wood, row 2"


def test_what_stands_before_the_first_place_has_none() -> None:
    assert place_of(((50, "attachment a.txt"),), 0, 40) is None
    assert place_of(((0, ""), (50, "attachment a.txt")), 0, 40) is None
    assert place_of((), 0, 40) is None


def test_places_within_begin_where_the_characters_begin() -> None:
    assert places_within(PAGES, 120, 220) == ((120, "page 2"), (200, "page 3"))
    assert places_within(PAGES, 100, 200) == ((100, "page 2"),)
    assert places_within(((50, "attachment a.txt"),), 0, 60) == ((50, "attachment a.txt"),)


ROWS = (
    TableRow(0, 10, ("Rye", "4")),
    TableRow(12, 20, ("Plum", ""), section="Cakes"),
    TableRow(22, 30, ("Total", "4"), "total", "Cakes"),
)
PART = TablePart(1, "Tariffs", ("Item", "Price £"), ROWS)


def test_parts_come_back_from_their_text() -> None:
    assert tables_of(tables_text((PART, replace(PART, number=2, rows=ROWS[1:])))) == (
        PART,
        replace(PART, number=2, rows=ROWS[1:]),
    )


def test_a_passage_has_the_rows_that_begin_in_it() -> None:
    (found,) = tables_within((PART,), 12, 22)
    assert found.rows == ROWS[1:2]
    assert tables_within((PART,), 30, 90) == ()
