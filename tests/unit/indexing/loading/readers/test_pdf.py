from __future__ import annotations

from pathlib import Path

from benchmarks.everyday.placed_pdf import Line, column, placed_pdf
from hoptrail.indexing.loading.readers.content import Content
from hoptrail.indexing.loading.readers.pdf import read_pdf

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
