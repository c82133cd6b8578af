from dataclasses import replace

from hoptrail.core.types.table import (
    TablePart,
    TableRow,
    tables_of,
    tables_text,
    tables_within,
)

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
