"""Word files as a person sees them, whatever wraps the text; written by python-docx and by hand."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from benchmarks.everyday.packed_files import archive
from hoptrail.indexing.loading.readers.content import Block, Content
from hoptrail.indexing.loading.readers.word import read_word

WORD = nsdecls("w")


def read(document: Any, folder: Path) -> Content:
    path = folder / "a-file.docx"
    document.save(str(path))
    return read_word(path)


def texts(content: Content) -> list[str]:
    return [block.text for block in content.blocks]


def with_part(document: Any, kind: str, xml: str, folder: Path) -> Content:
    """Return what is read from a document with a part of notes, as Word writes it."""
    written = io.BytesIO()
    document.save(written)
    with zipfile.ZipFile(written) as old:
        parts: dict[str, str | bytes] = {name: old.read(name) for name in old.namelist()}
    relations = parts["word/_rels/document.xml.rels"]
    types = parts["[Content_Types].xml"]
    assert isinstance(relations, bytes) and isinstance(types, bytes)
    base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    own = f'<Relationship Id="rId99" Type="{base}/{kind}" Target="{kind}.xml"/></Relationships>'
    parts["word/_rels/document.xml.rels"] = relations.decode().replace("</Relationships>", own)
    content_type = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}+xml"
    told = f'<Override PartName="/word/{kind}.xml" ContentType="{content_type}"/></Types>'
    parts["[Content_Types].xml"] = types.decode().replace("</Types>", told)
    parts[f"word/{kind}.xml"] = xml
    path = folder / "a.docx"
    path.write_bytes(archive(parts))
    return read_word(path)


def note(kind: str, text: str, more: str = "") -> str:
    line = (
        f'<w:{kind} w:id="-1" w:type="separator"><w:p><w:r><w:t>line</w:t></w:r></w:p></w:{kind}>'
    )
    own = f'<w:{kind} w:id="4" {more}><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:{kind}>'
    return f"<w:{kind}s {WORD}>{line}{own}</w:{kind}s>"


@pytest.mark.parametrize("kind", ["footnote", "endnote"])
def test_a_note_follows_its_paragraph_with_its_number_as_place(kind: str, tmp_path: Path) -> None:
    document: Any = docx.Document()
    paragraph = document.add_paragraph("The valley had nine mills")
    reference = f'<w:r {WORD}><w:{kind}Reference w:id="4"/></w:r>'
    paragraph._p.append(parse_xml(reference))
    paragraph.add_run(" in its best years.")
    document.add_paragraph("They stood below the weir.")
    content = with_part(document, f"{kind}s", note(kind, "Counted in 1871."), tmp_path)
    assert content.blocks == (
        Block("The valley had nine mills in its best years."),
        Block("Counted in 1871.", f"{kind} 1"),
        Block("They stood below the weir."),
    )


def test_tracked_changes_are_named_with_their_number(tmp_path: Path) -> None:
    document: Any = docx.Document()
    paragraph = document.add_paragraph("The fee is ")
    marks = f'{WORD} w:id="1" w:author="Ada"'
    gone = f"<w:del {marks}><w:r><w:delText>100</w:delText></w:r></w:del>"
    new = f"<w:ins {marks}><w:r><w:rPr><w:ins {marks}/></w:rPr><w:t>200</w:t></w:r></w:ins>"
    paragraph._p.extend([parse_xml(gone), parse_xml(new)])
    assert read(document, tmp_path).left_out == (
        ("2 tracked changes", "read as if accepted: accept or reject them in the file to be sure"),
    )


def test_a_file_without_tracked_changes_names_none(tmp_path: Path) -> None:
    document: Any = docx.Document()
    document.add_paragraph("The fee is 200.")
    assert read(document, tmp_path).left_out == ()


def test_a_comment_is_told_with_its_author(tmp_path: Path) -> None:
    document: Any = docx.Document()
    paragraph = document.add_paragraph("The weir was built in 1899.")
    paragraph._p.append(parse_xml(f'<w:r {WORD}><w:commentReference w:id="4"/></w:r>'))
    comment = note("comment", "Was it not 1902?", 'w:author="Anna Berg"')
    assert with_part(document, "comments", comment, tmp_path).blocks[1] == Block(
        "Comment by Anna Berg: Was it not 1902?", "comment 1"
    )


def test_tracked_changes_are_read_as_accepted(tmp_path: Path) -> None:
    document: Any = docx.Document()
    paragraph = document.add_paragraph("The budget is ")
    marks = f'{WORD} w:id="1" w:author="a"'
    gone = f"<w:del {marks}><w:r><w:delText>100</w:delText></w:r></w:del>"
    new = f"<w:ins {marks}><w:r><w:t>200</w:t></w:r></w:ins>"
    paragraph._p.append(parse_xml(gone))
    paragraph._p.append(parse_xml(new))
    paragraph.add_run(" crowns.")
    assert texts(read(document, tmp_path)) == ["The budget is 200 crowns."]


def test_controls_fields_and_hidden_text_are_read_as_seen(tmp_path: Path) -> None:
    document: Any = docx.Document()
    paragraph = document.add_paragraph("Ask ")
    control = (
        f"<w:sdt {WORD}><w:sdtContent><w:r><w:t>Jonas Hagen</w:t></w:r></w:sdtContent></w:sdt>"
    )
    dated = f'<w:fldSimple {WORD} w:instr=" DATE "><w:r><w:t> on 5 May</w:t></w:r></w:fldSimple>'
    for xml in (control, dated):
        paragraph._p.append(parse_xml(xml))
    paragraph.add_run(" not this").font.hidden = True
    line = "<w:p><w:r><w:t>Klara decides.</w:t></w:r></w:p>"
    whole = f"<w:sdt {WORD}><w:sdtContent>{line}</w:sdtContent></w:sdt>"
    document.element.body.insert(0, parse_xml(whole))
    assert texts(read(document, tmp_path)) == ["Klara decides.", "Ask Jonas Hagen on 5 May"]


def checkbox(*marks: str) -> str:
    return f"<w:checkBox>{''.join(f'<w:{mark}/>' for mark in marks)}</w:checkBox>"


ENTRIES = '<w:listEntry w:val="North"/><w:listEntry w:val="South"/>'


@pytest.mark.parametrize(
    ("field", "shown"),
    [
        (checkbox("checked"), "☒"),
        (checkbox('default w:val="1"'), "☒"),
        (checkbox('default w:val="1"', 'checked w:val="0"'), "☐"),
        (checkbox(), "☐"),
        (f'<w:ddList><w:result w:val="1"/>{ENTRIES}</w:ddList>', "South"),
        (f"<w:ddList>{ENTRIES}</w:ddList>", "North"),
        ('<w:ddList><w:result w:val="7"/></w:ddList>', ""),
    ],
)
def test_fields_of_older_forms_are_read_as_they_show(
    field: str, shown: str, tmp_path: Path
) -> None:
    document: Any = docx.Document()
    begin = f'<w:fldChar w:fldCharType="begin"><w:ffData>{field}</w:ffData></w:fldChar>'
    paragraph = document.add_paragraph("Crane: ")
    paragraph._p.append(parse_xml(f"<w:r {WORD}>{begin}</w:r>"))
    assert texts(read(document, tmp_path)) == [f"Crane: {shown}".strip()]


@pytest.mark.parametrize(
    ("font", "code", "shown"),
    [("Wingdings", "F0FE", "☒"), ("Wingdings", "00A8", "☐"), ("Wingdings 2", "F050", "✓")],
)
def test_ticks_of_symbol_fonts_are_read(font: str, code: str, shown: str, tmp_path: Path) -> None:
    document: Any = docx.Document()
    symbol = f'<w:r {WORD}><w:sym w:font="{font}" w:char="{code}"/></w:r>'
    document.add_paragraph("Insured ")._p.append(parse_xml(symbol))
    assert texts(read(document, tmp_path)) == [f"Insured {shown}"]


def test_a_text_box_is_read_once_though_it_is_there_twice(tmp_path: Path) -> None:
    box = "<w:txbxContent><w:p><w:r><w:t>Open on Sundays.</w:t></w:r></w:p></w:txbxContent>"
    compatible = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    both = (
        f'<w:r {WORD} xmlns:mc="{compatible}"><mc:AlternateContent><mc:Choice Requires="wps">'
        f"<w:drawing>{box}</w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict>"
        "</mc:Fallback></mc:AlternateContent></w:r>"
    )
    document: Any = docx.Document()
    document.add_paragraph("The mill.")._p.append(parse_xml(both))
    assert texts(read(document, tmp_path)) == ["The mill.", "Open on Sundays."]


def test_a_table_within_a_table_follows_the_row_that_holds_it(tmp_path: Path) -> None:
    document: Any = docx.Document()
    table = document.add_table(rows=3, cols=2)
    for at, text in enumerate(("Site", "Lead", "Halden", "A team", "Vik", "Tor Lie")):
        table.cell(at // 2, at % 2).text = text
    inner = table.cell(1, 1).add_table(rows=2, cols=2)
    for at, text in enumerate(("Role", "Person", "Chief", "Inga Moe")):
        inner.cell(at // 2, at % 2).text = text
    assert texts(read(document, tmp_path)) == [
        "Site: Halden; Lead: A team",
        "Role: Chief; Person: Inga Moe",
        "Site: Vik; Lead: Tor Lie",
    ]


def test_merged_cells_stay_in_their_columns(tmp_path: Path) -> None:
    document: Any = docx.Document()
    table = document.add_table(rows=4, cols=3)
    rows = (
        ("Mill", "Owner", "Stones"),
        ("Upper", "Marit", "2"),
        ("", "Peder", "3"),
        ("Low", "", "5"),
    )
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(3, 0).merge(table.cell(3, 1))
    assert texts(read(document, tmp_path)) == [
        "Mill: Upper; Owner: Marit; Stones: 2",
        "Mill: Upper; Owner: Peder; Stones: 3",
        "Mill: Low; Stones: 5",
    ]


def test_a_table_that_only_lays_out_a_page_is_read_cell_by_cell(tmp_path: Path) -> None:
    document: Any = docx.Document()
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text = "The left half says this."
    table.cell(0, 1).text = "The right half says that."
    assert texts(read(document, tmp_path)) == [
        "The left half says this.",
        "The right half says that.",
    ]


def test_headings_are_known_by_the_style_that_theirs_is_made_from(tmp_path: Path) -> None:
    document: Any = docx.Document()
    style = document.styles.add_style("Chapter of ours", 1)
    style.base_style = document.styles["Heading 2"]
    document.add_paragraph("Sheds", style="Chapter of ours")
    document.add_paragraph("Close every seacock.", style="List Number")
    assert texts(read(document, tmp_path)) == ["## Sheds", "1. Close every seacock."]


def test_a_letterhead_of_the_first_page_is_read_and_running_lines_are_not(tmp_path: Path) -> None:
    document: Any = docx.Document()
    section = document.sections[0]
    section.header.paragraphs[0].text = "Internal"
    section.footer.paragraphs[0].text = "Page 1"
    section.different_first_page_header_footer = True
    section.first_page_header.paragraphs[0].text = "Ormsund Boatyard, Quay 4"
    document.add_paragraph("We accept your offer.")
    assert texts(read(document, tmp_path)) == ["Ormsund Boatyard, Quay 4", "We accept your offer."]


def test_a_note_that_is_named_again_and_again_is_told_once(tmp_path: Path) -> None:
    document: Any = docx.Document()
    for _ in range(50):
        reference = parse_xml(f'<w:r {WORD}><w:footnoteReference w:id="4"/></w:r>')
        document.add_paragraph("A mill.")._p.append(reference)
    content = with_part(document, "footnotes", note("footnote", "Counted in 1871."), tmp_path)
    assert texts(content).count("Counted in 1871.") == 1


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


def test_clauses_have_their_numbers_with_those_above_them(tmp_path: Path) -> None:
    document = new_document(*LEGAL)
    add(document, "Term", 0, "Heading 1")
    add(document, "It begins in May.", 1)
    add(document, "Duties", 0, "Heading 1")
    add(document, "The tenant keeps", 1)
    for text, level in (("the doors,", 2), ("the north one,", 3), ("the roof.", 2), ("Rent", 1)):
        add(document, text, level)
    assert texts(read(document, tmp_path)) == [
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
    assert texts(read(document, tmp_path)) == [f"{number} Rule" for number in numbers]


def test_a_level_that_never_begins_anew_counts_on(tmp_path: Path) -> None:
    document = new_document(
        ("decimal", "%1."), ("decimal", "Art. %2"), marks='<w:lvlRestart w:val="0"/>'
    )
    for text, level in (("One", 0), ("a", 1), ("Two", 0), ("b", 1)):
        add(document, text, level)
    assert texts(read(document, tmp_path)) == ["1. One", "1 Art. 1 a", "2. Two", "2 Art. 2 b"]


def test_a_list_that_begins_again_is_counted_from_its_start(tmp_path: Path) -> None:
    again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
    document = new_document(("decimal", "%1)"), override=again)
    add(document, "a", 0)
    add(document, "b", 0)
    add(document, "c", 0, number=LIST + 1)
    add(document, "d", 0, number=LIST + 1)
    assert texts(read(document, tmp_path)) == ["1) a", "2) b", "5) c", "6) d"]


def test_a_list_that_the_file_does_not_tell_of_has_no_numbers(tmp_path: Path) -> None:
    document = new_document(("decimal", "%1."))
    add(document, "Rule", 0, number=999)
    add(document, "Other", 7)
    assert texts(read(document, tmp_path)) == ["- Rule", "- Other"]


def test_a_question_in_bold_heads_the_paragraph_below_it(tmp_path: Path) -> None:
    document: Any = docx.Document()
    asked = document.add_paragraph()
    asked.add_run("Can I bring ").bold = True
    asked.add_run("a guest?", style="Strong")
    document.add_paragraph("Yes, one guest a visit.")
    assert texts(read(document, tmp_path)) == [
        "###### Can I bring a guest?",
        "Yes, one guest a visit.",
    ]


def test_a_question_in_a_bold_style_heads_the_paragraph_below_it(tmp_path: Path) -> None:
    document: Any = docx.Document()
    style = document.styles.add_style("Asked", WD_STYLE_TYPE.PARAGRAPH)
    style.font.bold = True
    document.add_paragraph("Is it heated?", style="Asked")
    assert texts(read(document, tmp_path)) == ["###### Is it heated?"]


def test_a_question_with_a_bold_word_is_a_paragraph(tmp_path: Path) -> None:
    document: Any = docx.Document()
    asked = document.add_paragraph("Is it ")
    asked.add_run("heated?").bold = True
    assert texts(read(document, tmp_path)) == ["Is it heated?"]
