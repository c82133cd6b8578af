"""Tables of PDF pages, from the places of the parts of their lines."""

from hoptrail.indexing.loading.readers.pdf_lines import Line
from hoptrail.indexing.loading.readers.pdf_tables import parts_of_page

COLUMNS = (50.0, 150.0, 250.0)


def row(height: float, *cells: str) -> Line:
    placed = [(text, at, at + 6 * len(text)) for text, at in zip(cells, COLUMNS, strict=False)]
    text = " ".join(cells)
    return Line(text, 50, placed[-1][2], height, 10, False, True, False, placed)


def prose(height: float, text: str) -> Line:
    return Line(text, 50, 50 + 5 * len(text), height, 10, False, False, False)


TABLE = [
    row(700, "Item", "Grower", "Price"),
    row(685, "Leeks", "Withy Lane", "1.80"),
    row(670, "Rhubarb", "Holm Farm", "2.60"),
    row(655, "Radishes", "Withy Lane", "1.10"),
]


def test_lines_in_columns_below_a_head_are_rows_of_a_table() -> None:
    page = [prose(730, "This is in the box:"), *TABLE, prose(620, "Bring back the boxes.")]
    before, table, behind = parts_of_page(page)
    assert [line.text for line in before[0]] == ["This is in the box:"]
    assert [block.text for block in table[1]][0] == "Item: Leeks; Grower: Withy Lane; Price: 1.80"
    assert [block.row.cells[2] for block in table[1] if block.row] == ["1.80", "2.60", "1.10"]
    assert behind == ([page[-1]], [])


def test_two_lines_in_columns_are_no_table() -> None:
    ((lines, blocks),) = parts_of_page(TABLE[:2])
    assert (lines, blocks) == (TABLE[:2], [])


def test_labels_with_values_are_no_table() -> None:
    page = [row(700, "Opens", "Monday"), row(685, "Shut", "Friday"), row(670, "Phone", "555 12")]
    ((lines, blocks),) = parts_of_page(page)
    assert (lines, blocks) == (page, [])


def test_lines_of_prose_stay_lines() -> None:
    page = [prose(700 - 15 * at, "All of this is one long sentence of prose") for at in range(5)]
    assert list(parts_of_page(page)) == [(page, [])]
