import pytest

from hoptrail.indexing.loading.readers.aligned_text import aligned_blocks

BILL = """\
Fernleaf Gardening

Work              Hours  $ an hour       $
Garden design         5      64.00  320.00
Hedge cutting         3      38.00  114.00
Sum                                 434.00

Payable in two weeks."""


def test_columns_of_a_text_are_the_rows_of_a_table() -> None:
    assert [block.text for block in aligned_blocks(BILL)] == [
        "Fernleaf Gardening",
        "Work: Garden design; Hours: 5; $ an hour: 64.00; $: 320.00",
        "Work: Hedge cutting; Hours: 3; $ an hour: 38.00; $: 114.00",
        "Work: Sum; $: 434.00",
        "Payable in two weeks.",
    ]


def test_tabs_part_cells_as_well() -> None:
    blocks = aligned_blocks("Boat\tSeats\nGrey Heron of Wick\t12\nOtter\t8")
    assert [block.text for block in blocks] == [
        "Boat: Grey Heron of Wick; Seats: 12",
        "Boat: Otter; Seats: 8",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The  tide  turned.\nNobody  was  there.\nWe  left.",  # no figures
        "Seats:    12\nBerths:   4\nBuilt:    1987",  # labels
        "for i in range(3):\n    x = 1  # one\n    y = 2  # two\n    z = 3  # three",
        "Boat   Seats\nHeron  12",  # a single row
        "x = [inf,  -inf,  1]\ny = [inf,  inf,  -1]\nz = [inf,  nan,  nan]",
    ],
)
def test_other_wide_gaps_leave_a_text_as_it_is(text: str) -> None:
    assert [block.text for block in aligned_blocks(text)] == [text]
