from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.everyday.placed_pdf import Line, column, placed_pdf
from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers import pdf
from hoptrail.indexing.loading.readers.content import Content
from hoptrail.indexing.loading.readers.pdf import parts_of_page, read_pdf
from hoptrail.indexing.loading.readers.pdf_lines import Line as PdfLine

TOP, BOTTOM = 800, 40


def read(tmp_path: Path, *pages: list[Line], title: str = "") -> Content:
    path = tmp_path / "a-file.pdf"
    path.write_bytes(placed_pdf(pages, title=title))
    return read_pdf(path)


def texts(content: Content) -> list[str]:
    return [block.text for block in content.blocks]


def body(text: str) -> list[Line]:
    return column(text, left=60, top=700)


def test_a_word_that_a_hyphen_splits_is_mended(tmp_path: Path) -> None:
    content = read(tmp_path, body("The planks are fastened with tree-\nnails of larch."))
    assert texts(content) == ["The planks are fastened with treenails of larch."]


def test_a_word_that_the_text_hyphenates_elsewhere_keeps_its_hyphen(tmp_path: Path) -> None:
    content = read(tmp_path, body("A long-term loan is a loan of long-\nterm use to all of us."))
    assert "loan of long-term use" in texts(content)[0]


def test_a_name_after_a_hyphen_keeps_it(tmp_path: Path) -> None:
    content = read(tmp_path, body("The work is led by Anne Brandvold-\nNorheim of the tar shed."))
    assert "Brandvold-Norheim of" in texts(content)[0]


def test_lines_that_lacked_room_are_joined_and_others_stay(tmp_path: Path) -> None:
    wrapped = (
        "The slings of the lift are changed every\nfive years by the crew of the shed.\nSheds\n"
    )
    content = read(tmp_path, body(wrapped + "The tar shed was built of stone in the year\n1911."))
    assert texts(content)[0].split("\n") == [
        "The slings of the lift are changed every five years by the crew of the shed.",
        "Sheds",
        "The tar shed was built of stone in the year 1911.",
    ]


def test_what_every_page_repeats_is_left_out(tmp_path: Path) -> None:
    pages = [
        [
            Line(60, TOP, "Ormsund Papers 7"),
            *body(f"Sentence {word} stands here.\nIt goes on.\nAnd on.\nAnd ends."),
            Line(60, BOTTOM, f"Page {number} of 3"),
        ]
        for number, word in enumerate(("one", "two", "three"), start=1)
    ]
    told = "\n".join(texts(read(tmp_path, *pages)))
    assert "Papers" not in told
    assert "Page" not in told
    assert all(f"Sentence {word} stands here." in told for word in ("one", "two", "three"))


def test_a_sentence_over_two_pages_is_not_cut(tmp_path: Path) -> None:
    content = read(tmp_path, body("The lift was bought by"), body("the council of the yard."))
    assert content.joined()[0] == "The lift was bought by\nthe council of the yard."


def test_the_title_is_the_files_own_where_a_person_gave_it(tmp_path: Path) -> None:
    assert read(tmp_path, body("Text."), title="Lift manual").title == "Lift manual"


def test_the_title_is_else_the_largest_line(tmp_path: Path) -> None:
    page = [Line(60, 760, "The travel lift", 18), *body("The slings are changed.")]
    assert read(tmp_path, page, title="(anonymous)").title == "The travel lift"


def test_the_title_is_at_last_the_files_name(tmp_path: Path) -> None:
    assert read(tmp_path, body("The slings are changed.")).title == "a file"


LEFT = """\
The planks of the hull are fastened with
larch, which Eskil Brandvold turns in the
tar shed, as his father did before him.
The seams are caulked with cotton thread."""
RIGHT = """\
A second team fits the deck of each boat.
It is led by Ylva Norheim, who learned it
in the yards of the southern coast, where
all decks are made of pine from the hills."""


def test_columns_that_are_drawn_line_by_line_are_read_one_after_the_other(tmp_path: Path) -> None:
    left, right = column(LEFT, left=60, top=700), column(RIGHT, left=310, top=700)
    drawn = [line for pair in zip(left, right, strict=True) for line in pair]
    (text,) = texts(read(tmp_path, drawn))
    assert "with larch, which Eskil Brandvold turns in the tar shed" in text
    assert "It is led by Ylva Norheim, who learned it in the yards" in text
    assert text.index("cotton thread") < text.index("A second team")


def test_a_table_is_read_row_by_row(tmp_path: Path) -> None:
    cells = ("Shed", "Foreman"), ("Tar shed", "Eskil"), ("Glass shed", "Ylva"), ("Slip", "Tora")
    rows = [
        Line(left, 700 - 14 * at, text)
        for at, row in enumerate(cells)
        for left, text in zip((60, 310), row, strict=True)
    ]
    (text,) = texts(read(tmp_path, rows))
    assert text.split("\n") == ["Shed Foreman", "Tar shed Eskil", "Glass shed Ylva", "Slip Tora"]


def test_lines_of_the_text_that_two_pages_share_are_kept(tmp_path: Path) -> None:
    told = "The hull of boat {n} was tarred.\nIts deck was washed.\nIts sails were mended."
    pages = [body(told.format(n=number)) for number in (1, 2)]
    content = texts(read(tmp_path, *pages))
    assert [text.count("Its deck was washed.") for text in content] == [1, 1]


def test_a_file_that_takes_too_long_ends_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "MAX_SECONDS", 0.0)
    with pytest.raises(InputError, match="seconds"):
        read(tmp_path, *[body("The lift carries 40 tonnes.")] * 300)
    monkeypatch.undo()
    assert texts(read(tmp_path, body("The lift."))) == ["The lift."]


def test_files_are_read_in_a_forked_process_too(tmp_path: Path) -> None:
    assert texts(read(tmp_path, body("The lift."))) == ["The lift."]
    child = os.fork()
    if child == 0:
        ok = texts(read(tmp_path, body("The slip."))) == ["The slip."]
        pdf._PROCESS.end()
        os._exit(0 if ok else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert texts(read(tmp_path, body("The lift."))) == ["The lift."]


COLUMNS = (50.0, 150.0, 250.0)


def row(height: float, *cells: str) -> PdfLine:
    placed = [(text, at, at + 6 * len(text)) for text, at in zip(cells, COLUMNS, strict=False)]
    text = " ".join(cells)
    return PdfLine(text, 50, placed[-1][2], height, 10, False, True, False, placed)


def prose(height: float, text: str) -> PdfLine:
    return PdfLine(text, 50, 50 + 5 * len(text), height, 10, False, False, False)


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
