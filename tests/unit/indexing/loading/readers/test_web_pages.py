from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.indexing.loading.readers.content import Content
from hoptrail.indexing.loading.readers.web_pages import read_html


def read(tmp_path: Path, body: str, head: str = "") -> Content:
    path = tmp_path / "a-page.html"
    path.write_text(f"<html><head>{head}</head><body>{body}</body></html>", encoding="utf-8")
    return read_html(path)


def texts(content: Content) -> list[str]:
    return [block.text for block in content.blocks]


HOURS = "<table><tr><th>Day</th><th>Open</th></tr><tr><td>Mon</td><td>9-12</td></tr></table>"


@pytest.mark.parametrize(
    ("page", "told"),
    [
        # Inline tags leave no space, headings stand apart, scripts and comments are left out.
        ("<p>In <a href='x'>Lower</a><b>moor</b>.</p>", ["In Lowermoor."]),
        (
            "<h1>The yard</h1><p>Boats.</p><h2>People</h2>Forty.",
            ["# The yard", "Boats.", "## People", "Forty."],
        ),
        ("<!-- c --><script>a = 1;</script><style>p {}</style><p>The keel.</p>", ["The keel."]),
        # A table with names in its first column is told by them, one that lays out tables is text.
        (
            "<table><tr><th>Milk</th><td>raw</td></tr><tr><th>Keeps</th><td>weeks</td></tr></table>",
            ["Milk: raw", "Keeps: weeks"],
        ),
        (
            f"<table><tr><td>Home</td><td>{HOURS}</td></tr><tr><td>Legal notice</td></tr></table>",
            ["Home", "Day: Mon; Open: 9-12", "Legal notice"],
        ),
        # A question in bold heads what is below it; one bold word or a warning is a paragraph.
        (
            "<p><strong>Can I bring a guest?</strong></p><p>Yes, <b>one</b> guest a visit.</p>",
            ["###### Can I bring a guest?", "Yes, one guest a visit."],
        ),
        (
            "<p><span style='font-weight: 700'>Is it <i>heated</i>?</span><br>From May on.</p>",
            ["###### Is it heated?", "From May on."],
        ),
        ("<p>Is it <b>heated?</b></p>", ["Is it heated?"]),
        ("<p><b>Do not enter.</b></p>", ["Do not enter."]),
    ],
)
def test_a_page_is_read_in_blocks(tmp_path: Path, page: str, told: list[str]) -> None:
    assert texts(read(tmp_path, page)) == told


def test_the_marks_of_a_wiki_are_left_out(tmp_path: Path) -> None:
    edit = "<span class='mw-editsection'>[<a href='x'>edit</a>]</span>"
    mark = "<sup id='r1' class='reference'><a href='#n1'>[1]</a></sup>"
    page = f"<h2>Light</h2>{edit}<p>Lit in 1873.{mark} It is 31 m<sup>*</sup> high.</p>"
    assert texts(read(tmp_path, page)) == ["## Light", "Lit in 1873. It is 31 m* high."]


def test_a_table_that_lays_out_a_page_is_read_as_text(tmp_path: Path) -> None:
    page = f"<table><tr><td>{'The yard repairs boats. ' * 30}</td><td>Menu</td></tr></table>"
    assert texts(read(tmp_path, page))[0].startswith("The yard repairs boats. The yard")


def test_the_first_question_of_a_list_is_kept(tmp_path: Path) -> None:
    asked = "".join(
        f"<dt>What of {word}?</dt><dd>Of {word} we know that it is kept in the shed.</dd>"
        for word in ("oak", "larch", "pine", "cotton", "tar", "rope", "paint")
    )
    assert texts(read(tmp_path, f"<h1>Questions</h1><dl>{asked}</dl>"))[:2] == [
        "# Questions",
        "###### What of oak?",
    ]


def test_the_title_is_the_first_heading_else_the_pages(tmp_path: Path) -> None:
    assert read(tmp_path, "<h1>The yard</h1><p>x</p>", "<title>Home</title>").title == "The yard"
    assert read(tmp_path, "<p>x y z.</p>", "<title>Opening hours</title>").title == "Opening hours"
    assert read(tmp_path, "<p>x y z.</p>").title == "a page"


def test_a_term_is_joined_with_its_line_and_not_with_a_picture(tmp_path: Path) -> None:
    picture = "data:image/png;base64,iVBORw0KGgo="
    listed = f"<dt>Rose</dt><dd><img src='{picture}'></dd><dt>Oak</dt><dd>A tree of the north.</dd>"
    content = read(tmp_path, f"<h1>Plants</h1><p>{'We grow them. ' * 30}</p><dl>{listed}</dl>")
    assert texts(content)[2:] == ["Rose", "Oak: A tree of the north."]


def test_a_row_comes_before_the_table_in_its_cell(tmp_path: Path) -> None:
    page = (
        "<table><tr><th>Room</th><th>Fee</th><th>Details</th></tr>"
        f"<tr><td>Elm</td><td>40</td><td>closed {HOURS} in May</td></tr>"
        "<tr><td>Oak</td><td>55</td><td>none</td></tr></table>"
    )
    assert texts(read(tmp_path, page)) == [
        "Room: Elm; Fee: 40; Details: closed in May",
        "Day: Mon; Open: 9-12",
        "Room: Oak; Fee: 55; Details: none",
    ]


def test_a_page_that_is_one_table_is_kept_whole(tmp_path: Path) -> None:
    page = (
        "<table border=1><tr><th>Room</th><th>Fee</th><th>Details</th></tr>"
        "<tr><td>Elm</td><td>40</td><td><table><tr><th>Day</th><th>Open</th></tr>"
        "<tr><td>Mon</td><td>9-12</td></tr><tr><td>Tue</td><td>10-14</td></tr></table></td></tr>"
        "<tr><td>Oak</td><td>55</td><td>none</td></tr></table>"
    )
    path = tmp_path / "rooms.html"
    path.write_text(page)
    assert len(read_html(path).blocks) == 4


def test_rows_with_tables_in_their_cells_are_kept_in_the_main_text(tmp_path: Path) -> None:
    told = "<p>These are the rooms of the inn, their fees and when they open for visitors.</p>"
    rows = f"<tr><td>Elm</td><td>40</td><td>{HOURS}</td></tr><tr><td>Oak</td><td>55</td><td/></tr>"
    head = "<tr><th>Room</th><th>Fee</th><th>Details</th></tr>"
    page = f"<main><h1>Rooms</h1>{told}<table>{head}{rows}</table></main>"
    assert texts(read(tmp_path, page))[2:] == [
        "Room: Elm; Fee: 40",
        "Day: Mon; Open: 9-12",
        "Room: Oak; Fee: 55",
    ]


def test_rows_without_heads_hold_tables_in_one_column(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>{room}</td><td>{HOURS}</td></tr>" for room in ("Elm", "Oak"))
    assert texts(read(tmp_path, f"<table>{rows}</table>")) == [
        "Elm",
        "Day: Mon; Open: 9-12",
        "Oak",
        "Day: Mon; Open: 9-12",
    ]
