"""Numbers that Word counts: seen by reading files made for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from hoptrail.indexing.loading.readers.word import read_word

LEGAL = (
    ("decimal", "%1."),
    ("decimal", "%1.%2"),
    ("lowerLetter", "(%3)"),
    ("lowerRoman", "(%4)"),
)
LIST = 77


def new_document(*levels: tuple[str, str], marks: str = "", override: str = "") -> Any:
    """Return a document with the list `LIST`, each level a form and a text."""
    document: Any = docx.Document()
    numbering = document.part.numbering_part.element
    told = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{marks if at else ""}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for at, (form, text) in enumerate(levels)
    )
    names = nsdecls("w")
    kind = f'<w:abstractNum {names} w:abstractNumId="{LIST}">{told}</w:abstractNum>'
    numbering.insert(0, parse_xml(kind))
    for number, within in ((LIST, ""), (LIST + 1, override)):
        kind = f'<w:abstractNumId w:val="{LIST}"/>{within}'
        numbering.append(parse_xml(f'<w:num {names} w:numId="{number}">{kind}</w:num>'))
    return document


def add(document: Any, text: str, level: int, style: str | None = None, number: int = LIST) -> None:
    paragraph = document.add_paragraph(text, style=style)
    marks = f'<w:ilvl w:val="{level}"/><w:numId w:val="{number}"/>'
    properties = paragraph._p.get_or_add_pPr()
    properties.append(parse_xml(f"<w:numPr {nsdecls('w')}>{marks}</w:numPr>"))


def texts(document: Any, folder: Path) -> list[str]:
    document.save(folder / "a.docx")
    return [block.text for block in read_word(folder / "a.docx").blocks]


def test_clauses_have_their_numbers_with_those_above_them(tmp_path: Path) -> None:
    document = new_document(*LEGAL)
    add(document, "Term", 0, "Heading 1")
    add(document, "It begins in May.", 1)
    add(document, "Duties", 0, "Heading 1")
    add(document, "The tenant keeps", 1)
    for text, level in (("the doors,", 2), ("the north one,", 3), ("the roof.", 2), ("Rent", 1)):
        add(document, text, level)
    assert texts(document, tmp_path) == [
        "# 1. Term",
        "1.1 It begins in May.",
        "# 2. Duties",
        "2.1 The tenant keeps",
        "2.1 (a) the doors,",
        "2.1 (a) (i) the north one,",
        "2.1 (b) the roof.",
        "2.2 Rent",
    ]


def test_the_title_is_the_first_heading_without_its_number(tmp_path: Path) -> None:
    document = new_document(*LEGAL)
    add(document, "House rules", 0, "Heading 1")
    document.save(tmp_path / "a.docx")
    assert read_word(tmp_path / "a.docx").title == "House rules"


@pytest.mark.parametrize(
    ("form", "numbers"),
    [
        ("upperRoman", ["I", "II", "III", "IV"]),
        ("upperLetter", ["A", "B", "C", "D"]),
        ("decimalZero", ["01", "02", "03", "04"]),
        ("ordinal", ["1st", "2nd", "3rd", "4th"]),
        ("chicago", ["1", "2", "3", "4"]),
        ("bullet", ["-", "-", "-", "-"]),
    ],
)
def test_each_form_of_numbers(form: str, numbers: list[str], tmp_path: Path) -> None:
    document = new_document((form, "%1"))
    for _ in numbers:
        add(document, "Rule", 0)
    assert texts(document, tmp_path) == [f"{number} Rule" for number in numbers]


def test_a_level_that_never_begins_anew_counts_on(tmp_path: Path) -> None:
    document = new_document(
        ("decimal", "%1."), ("decimal", "Art. %2"), marks='<w:lvlRestart w:val="0"/>'
    )
    for text, level in (("One", 0), ("a", 1), ("Two", 0), ("b", 1)):
        add(document, text, level)
    assert texts(document, tmp_path) == ["1. One", "1 Art. 1 a", "2. Two", "2 Art. 2 b"]


def test_a_list_that_begins_again_is_counted_from_its_start(tmp_path: Path) -> None:
    again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
    document = new_document(("decimal", "%1)"), override=again)
    add(document, "a", 0)
    add(document, "b", 0)
    add(document, "c", 0, number=LIST + 1)
    add(document, "d", 0, number=LIST + 1)
    assert texts(document, tmp_path) == ["1) a", "2) b", "5) c", "6) d"]


def test_a_list_that_the_file_does_not_tell_of_has_no_numbers(tmp_path: Path) -> None:
    document = new_document(("decimal", "%1."))
    add(document, "Rule", 0, number=999)
    add(document, "Other", 7)
    assert texts(document, tmp_path) == ["- Rule", "- Other"]
