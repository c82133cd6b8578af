from __future__ import annotations

import pytest

from hoptrail.core.types import TablePart, TableRow
from hoptrail.indexing.loading.readers.content import (
    Block,
    Content,
    RowCells,
    TableHead,
    first_heading,
    guess_title,
    heading,
    meant_title,
    row_text,
)


def test_blocks_stand_apart_and_places_begin_where_their_text_does() -> None:
    text, places, _ = Content(
        "T", (Block("One.", "page 1"), Block("Two.", "page 1"), Block("Three.", "page 2"))
    ).joined()
    assert text == "One.\n\nTwo.\n\nThree."
    assert [(text[start:][:4], name) for start, name in places] == [
        ("One.", "page 1"),
        ("Thre", "page 2"),
    ]


def test_a_sentence_that_goes_on_in_the_next_block_is_not_cut() -> None:
    blocks = (Block("It is", "page 1"), Block("red.", "page 2", continues=True))
    assert Content("T", blocks).joined()[0] == "It is\nred."


def test_a_block_without_a_place_ends_the_place_before() -> None:
    blocks = (Block("One.", "attachment a"), Block("Two."))
    assert [name for _, name in Content("T", blocks).joined()[1]] == ["attachment a", ""]


def test_empty_blocks_leave_no_trace() -> None:
    assert Content("T", (Block(" "), Block("One."), Block(""))).joined() == ("One.", (), ())


def test_rows_of_one_head_are_one_table_with_their_place_in_the_text() -> None:
    first, second = TableHead("Tariffs", ("Item", "Price")), TableHead("", ("Name",))
    blocks = (
        Block("Item: Rye; Price: 4", row=RowCells(first, ("Rye", "4"))),
        Block("Name: Ann", row=RowCells(second, ("Ann",))),
        Block("Item: Plum; Price: 3", row=RowCells(first, ("Plum", "3"), section="Cakes")),
    )
    text, _, tables = Content("T", blocks).joined()
    assert tables == (
        TablePart(
            1,
            "Tariffs",
            ("Item", "Price"),
            (TableRow(0, 19, ("Rye", "4")), TableRow(32, 52, ("Plum", "3"), section="Cakes")),
        ),
        TablePart(2, "", ("Name",), (TableRow(21, 30, ("Ann",)),)),
    )
    assert text[32:52] == "Item: Plum; Price: 3"


def test_a_row_is_told_with_the_names_of_its_columns() -> None:
    assert row_text(["A", "", "C"], ["1", "2", " 3\n4 "]) == "A: 1; 2; C: 3 4"


def test_a_heading_is_one_line_of_markdown() -> None:
    assert heading(" The\nyard ", 9) == "###### The yard"


@pytest.mark.parametrize(
    "given",
    [
        "",
        "(anonymous)",
        "Untitled",
        "Microsoft Word - manual_v3.doc",
        "PowerPoint Presentation",
        "PowerPoint-Präsentation",
        "report_final2.docx",
        "Document1",
        "thesis.dvi",
    ],
)
def test_titles_that_programs_give_are_none(given: str) -> None:
    assert meant_title(given) == ""


@pytest.mark.parametrize("given", ["Yard handbook", "Title deeds of Hestvik", "Slides and sleighs"])
def test_titles_that_people_give_are_kept(given: str) -> None:
    assert meant_title(given) == given


def test_the_first_heading_is_found_among_the_first_blocks() -> None:
    assert first_heading(["Text.", "## Sheds", "# Lifts"]) == "Sheds"
    assert first_heading([*["Text."] * 30, "# Lifts"]) == ""
    assert first_heading(["Text.", "## Sheds", "# Lifts"], is_main=True) == "Lifts"


def test_a_first_line_is_a_title_in_which_a_run_of_blanks_is_one() -> None:
    line = "SHUF(1)          User Commands          SHUF(1)"
    assert guess_title(f"{line}\n\nNAME", "shuf") == "SHUF(1) User Commands SHUF(1)"


def test_a_file_without_a_heading_is_called_by_its_name() -> None:
    assert guess_title("It carries 40 tonnes.", "travel_lift-2") == "travel lift 2"


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("The city of Uppsala lies on the Fyris. It has a cathedral.", "uppsala", "Uppsala"),
        ("In uppsala once, in Uppsala now.", "uppsala", "Uppsala"),
        ("The van Gogh Museum shows it.", "van_gogh-museum", "van Gogh Museum"),
        ("It is told of uppsalaborg in Uppsalaborg.", "uppsala", "uppsala"),
        ("The city of UPPSALA.", "Uppsala", "Uppsala"),
        ("------\n\nThis is bzip2.", "bzip2-CHANGES", "bzip2 CHANGES"),
        ("5.4\n\nFixed a bug.", "debianutils-changelog", "debianutils changelog"),
    ],
)
def test_a_files_name_is_spelled_as_the_text_spells_it(text: str, name: str, title: str) -> None:
    assert guess_title(text, name) == title
