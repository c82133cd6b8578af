"""Writes Office files and e-books: archives of XML, no library, the same bytes every time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_APPLICATION = "application/vnd.openxmlformats-officedocument"
_TABLE = "http://schemas.openxmlformats.org/drawingml/2006/table"

Cell = str | int | float | None
Row = Sequence[Cell]


@dataclass(frozen=True)
class Slide:
    """A slide: its title, its lines, the rows of its table and the speaker's notes."""

    title: str = ""
    lines: tuple[str, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    notes: str = ""


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    """Return a zip archive of the parts in their order.

    They are not compressed: what a compressor writes depends on its version.
    """
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            entry.create_system = 3
            file.writestr(entry, content)
    return data.getvalue()


def docx(
    blocks: Sequence[tuple[str, str] | Sequence[Row]],
    *,
    title: str = "",
    header: str = "",
    macros: bool = False,
) -> bytes:
    """Return a Word file.

    Args:
        blocks: (style, text) for paragraphs, the rows of a table otherwise.
        title: In the file's properties.
        header: The running header of every page.
        macros: Whether the file carries a part for macros, as a .docm does.
    """
    body = "".join(
        _word_paragraph(*block) if _is_paragraph(block) else _word_table(block) for block in blocks
    )
    section = '<w:sectPr><w:headerReference w:type="default" r:id="rId2"/></w:sectPr>'
    namespaces = f'xmlns:w="{_WORD}" xmlns:r="{_OFFICE}/relationships"'
    kind = (
        "application/vnd.ms-word.document.macroEnabled"
        if macros
        else f"{_APPLICATION}.wordprocessingml.document"
    )
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": _types(
            {
                "/word/document.xml": f"{kind}.main+xml",
                "/word/styles.xml": f"{_APPLICATION}.wordprocessingml.styles+xml",
                "/word/header1.xml": f"{_APPLICATION}.wordprocessingml.header+xml",
                "/docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
            }
        ),
        "_rels/.rels": _relations(
            {"rId1": ("officeDocument", "word/document.xml"), "rId2": ("core", "docProps/core.xml")}
        ),
        "docProps/core.xml": _core(title),
        "word/document.xml": f"{_HEAD}<w:document {namespaces}><w:body>{body}{section}"
        "</w:body></w:document>",
        "word/_rels/document.xml.rels": _relations(
            {"rId1": ("styles", "styles.xml"), "rId2": ("header", "header1.xml")}
        ),
        "word/styles.xml": _word_styles(),
        "word/header1.xml": f"{_HEAD}<w:hdr {namespaces}>{_word_paragraph('Normal', header)}"
        "</w:hdr>",
    }
    if macros:
        parts["word/vbaProject.bin"] = b'Sub AutoOpen()\nShell "never run"\nEnd Sub\n'
    return archive(parts)


def _is_paragraph(block: object) -> bool:
    return isinstance(block, tuple) and len(block) == 2 and isinstance(block[0], str)


def _word_paragraph(style: str, text: str) -> str:
    runs = "<w:br/>".join(
        f'<w:t xml:space="preserve">{escape(line)}</w:t>' for line in text.split("\n")
    )
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r>{runs}</w:r></w:p>'


def _word_table(rows: Sequence[Row]) -> str:
    grid = "<w:gridCol/>" * len(rows[0])
    lines = "".join(
        "<w:tr>"
        + "".join(f"<w:tc>{_word_paragraph('Normal', str(cell or ''))}</w:tc>" for cell in row)
        + "</w:tr>"
        for row in rows
    )
    return f"<w:tbl><w:tblPr/><w:tblGrid>{grid}</w:tblGrid>{lines}</w:tbl>"


def _word_styles() -> str:
    names = {
        "Normal": "Normal",
        "Title": "Title",
        "Heading1": "heading 1",
        "Heading2": "heading 2",
        "ListBullet": "List Bullet",
    }
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/></w:style>'
        for key, name in names.items()
    )
    return f'{_HEAD}<w:styles xmlns:w="{_WORD}">{styles}</w:styles>'


def pptx(slides: Sequence[Slide], *, title: str = "") -> bytes:
    """Return a PowerPoint file: a master, a layout, and the slides."""
    types = {
        "/ppt/presentation.xml": f"{_APPLICATION}.presentationml.presentation.main+xml",
        "/ppt/slideMasters/slideMaster1.xml": f"{_APPLICATION}.presentationml.slideMaster+xml",
        "/ppt/slideLayouts/slideLayout1.xml": f"{_APPLICATION}.presentationml.slideLayout+xml",
        "/docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
    }
    slide_rels = {"rId1": ("slideLayout", "../slideLayouts/slideLayout1.xml")}
    parts: dict[str, str | bytes] = {}
    numbers = range(1, len(slides) + 1)
    for number, slide in zip(numbers, slides, strict=True):
        types[f"/ppt/slides/slide{number}.xml"] = f"{_APPLICATION}.presentationml.slide+xml"
        parts[f"ppt/slides/slide{number}.xml"] = _slide_part("sld", _shapes(slide))
        relations = dict(slide_rels)
        if slide.notes:
            name = f"notesSlide{number}.xml"
            types[f"/ppt/notesSlides/{name}"] = f"{_APPLICATION}.presentationml.notesSlide+xml"
            relations["rId2"] = ("notesSlide", f"../notesSlides/{name}")
            parts[f"ppt/notesSlides/{name}"] = _slide_part(
                "notes", _shape(2, "body", [slide.notes], 1)
            )
            parts[f"ppt/notesSlides/_rels/{name}.rels"] = _relations(
                {"rId1": ("slide", f"../slides/slide{number}.xml")}
            )
        parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = _relations(relations)
    masters = '<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId0"/></p:sldMasterIdLst>'
    ids = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>' for number in numbers)
    presentation = (
        f'{_HEAD}<p:presentation xmlns:p="{_SLIDES}" xmlns:r="{_OFFICE}/relationships">{masters}'
        f'<p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/>'
        '<p:notesSz cx="6858000" cy="9144000"/></p:presentation>'
    )
    layout = _slide_part("sldLayout", "")
    layouts = '<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst>'
    colours = (
        '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" '
        'accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" '
        'folHlink="folHlink"/>'
    )
    return archive(
        {
            "[Content_Types].xml": _types(types),
            "_rels/.rels": _relations(
                {
                    "rId1": ("officeDocument", "ppt/presentation.xml"),
                    "rId2": ("core", "docProps/core.xml"),
                }
            ),
            "docProps/core.xml": _core(title),
            "ppt/presentation.xml": presentation,
            "ppt/_rels/presentation.xml.rels": _relations(
                {"rId0": ("slideMaster", "slideMasters/slideMaster1.xml")}
                | {f"rId{number}": ("slide", f"slides/slide{number}.xml") for number in numbers}
            ),
            "ppt/slideMasters/slideMaster1.xml": _slide_part("sldMaster", "", colours + layouts),
            "ppt/slideMasters/_rels/slideMaster1.xml.rels": _relations(
                {"rId1": ("slideLayout", "../slideLayouts/slideLayout1.xml")}
            ),
            "ppt/slideLayouts/slideLayout1.xml": layout,
            "ppt/slideLayouts/_rels/slideLayout1.xml.rels": _relations(
                {"rId1": ("slideMaster", "../slideMasters/slideMaster1.xml")}
            ),
            **parts,
        }
    )


def _shapes(slide: Slide) -> str:
    shapes = ""
    if slide.title:
        shapes += _shape(2, "title", [slide.title])
    if slide.lines:
        shapes += _shape(3, "body", slide.lines, 1)
    if slide.table:
        shapes += _slide_table(slide.table)
    return shapes


def _shape(number: int, kind: str, lines: Sequence[str], index: int | None = None) -> str:
    place = f' idx="{index}"' if index is not None else ""
    paragraphs = "".join(_slide_paragraph(line) for line in lines)
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{kind} {number}"/><p:cNvSpPr/>'
        f'<p:nvPr><p:ph type="{kind}"{place}/></p:nvPr></p:nvSpPr><p:spPr/>'
        f"<p:txBody><a:bodyPr/>{paragraphs}</p:txBody></p:sp>"
    )


def _slide_paragraph(text: str) -> str:
    return f"<a:p><a:r><a:t>{escape(text)}</a:t></a:r></a:p>"


def _slide_table(rows: Sequence[Sequence[str]]) -> str:
    grid = '<a:gridCol w="1000"/>' * len(rows[0])
    lines = "".join(
        '<a:tr h="1000">'
        + "".join(
            f"<a:tc><a:txBody><a:bodyPr/>{_slide_paragraph(cell)}</a:txBody><a:tcPr/></a:tc>"
            for cell in row
        )
        + "</a:tr>"
        for row in rows
    )
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="Table 9"/>'
        "<p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>"
        '<p:xfrm><a:off x="0" y="0"/><a:ext cx="1" cy="1"/></p:xfrm>'
        f'<a:graphic><a:graphicData uri="{_TABLE}"><a:tbl><a:tblPr firstRow="1"/>'
        f"<a:tblGrid>{grid}</a:tblGrid>{lines}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )


def _slide_part(element: str, shapes: str, more: str = "") -> str:
    return (
        f'{_HEAD}<p:{element} xmlns:p="{_SLIDES}" xmlns:a="{_DRAWING}" '
        f'xmlns:r="{_OFFICE}/relationships"><p:cSld><p:spTree><p:nvGrpSpPr>'
        '<p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
        f"{shapes}</p:spTree></p:cSld>{more}</p:{element}>"
    )


def xlsx(sheets: Mapping[str, Sequence[Row]], *, title: str = "") -> bytes:
    """Return an Excel file; a text that begins with `=` is a formula as `=formula|value`."""
    types = {
        "/xl/workbook.xml": f"{_APPLICATION}.spreadsheetml.sheet.main+xml",
        "/xl/styles.xml": f"{_APPLICATION}.spreadsheetml.styles+xml",
        "/docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
    }
    names = list(sheets)
    parts: dict[str, str | bytes] = {}
    for number, name in enumerate(names, start=1):
        types[f"/xl/worksheets/sheet{number}.xml"] = f"{_APPLICATION}.spreadsheetml.worksheet+xml"
        parts[f"xl/worksheets/sheet{number}.xml"] = _sheet(sheets[name])
    listed = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"/>'
        for number, name in enumerate(names, start=1)
    )
    relations = {
        f"rId{number}": ("worksheet", f"worksheets/sheet{number}.xml")
        for number in range(1, len(names) + 1)
    }
    return archive(
        {
            "[Content_Types].xml": _types(types),
            "_rels/.rels": _relations(
                {
                    "rId1": ("officeDocument", "xl/workbook.xml"),
                    "rId2": ("core", "docProps/core.xml"),
                }
            ),
            "docProps/core.xml": _core(title),
            "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{_SHEETS}" '
            f'xmlns:r="{_OFFICE}/relationships">'
            f"<sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": _relations(
                {**relations, "rId999": ("styles", "styles.xml")}
            ),
            "xl/styles.xml": f'{_HEAD}<styleSheet xmlns="{_SHEETS}">'
            '<fonts count="1"><font/></fonts><fills count="1"><fill><patternFill/></fill></fills>'
            '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
            '<cellXfs count="2"><xf/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs>'
            "</styleSheet>",
            **parts,
        }
    )


def _sheet(rows: Sequence[Row]) -> str:
    lines = "".join(
        f'<row r="{number}">'
        + "".join(_sheet_cell(f"{column_name(at)}{number}", cell) for at, cell in enumerate(row))
        + "</row>"
        for number, row in enumerate(rows, start=1)
        if row
    )
    return f'{_HEAD}<worksheet xmlns="{_SHEETS}"><sheetData>{lines}</sheetData></worksheet>'


def column_name(index: int) -> str:
    """Return the letters of a column, the first being 0."""
    name = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, 26)
        name = chr(65 + letter) + name
    return name


def _sheet_cell(place: str, cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str) and cell.startswith("="):
        formula, value = cell[1:].split("|")
        return f'<c r="{place}"><f>{escape(formula)}</f><v>{value}</v></c>'
    if isinstance(cell, str) and cell.startswith("day "):
        return f'<c r="{place}" s="1"><v>{cell[4:]}</v></c>'
    if isinstance(cell, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
    return f'<c r="{place}"><v>{cell}</v></c>'


def epub(chapters: Mapping[str, str], *, title: str, author: str) -> bytes:
    """Return an e-book of chapters, each the inside of an HTML body by its heading."""
    items = "".join(
        f'<item id="c{number}" href="text/chapter{number}.xhtml" '
        'media-type="application/xhtml+xml"/>'
        for number in range(1, len(chapters) + 1)
    )
    order = "".join(f'<itemref idref="c{number}"/>' for number in range(1, len(chapters) + 1))
    links = "".join(
        f'<li><a href="text/chapter{number}.xhtml">{escape(heading)}</a></li>'
        for number, heading in enumerate(chapters, start=1)
    )
    package = (
        f'{_HEAD}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="i">urn:x</dc:identifier><dc:title>{escape(title)}</dc:title>'
        f"<dc:creator>{escape(author)}</dc:creator><dc:language>en</dc:language></metadata>"
        '<manifest><item id="nav" href="nav.xhtml" properties="nav" '
        f'media-type="application/xhtml+xml"/>{items}</manifest>'
        f'<spine><itemref idref="nav"/>{order}</spine></package>'
    )
    container = (
        f'{_HEAD}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="OEBPS/content.opf" '
        'media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OEBPS/content.opf": package,
            "OEBPS/nav.xhtml": _xhtml("Contents", f'<nav epub:type="toc"><ol>{links}</ol></nav>'),
            **{
                f"OEBPS/text/chapter{number}.xhtml": _xhtml(
                    heading, f"<h1>{escape(heading)}</h1>{body}"
                )
                for number, (heading, body) in enumerate(chapters.items(), start=1)
            },
        }
    )


def _xhtml(title: str, body: str) -> str:
    return (
        f'{_HEAD}<html xmlns="http://www.w3.org/1999/xhtml" '
        'xmlns:epub="http://www.idpf.org/2007/ops">'
        f"<head><title>{escape(title)}</title></head><body>{body}</body></html>"
    )


def _types(overrides: Mapping[str, str]) -> str:
    parts = "".join(
        f'<Override PartName="{name}" ContentType="{kind}"/>' for name, kind in overrides.items()
    )
    return (
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/>'
        f"{parts}</Types>"
    )


def _relations(targets: Mapping[str, tuple[str, str]]) -> str:
    core = f"{_PACKAGE}/relationships/metadata/core-properties"
    lines = "".join(
        f'<Relationship Id="{key}" Target="{target}" '
        f'Type="{core if kind == "core" else f"{_OFFICE}/relationships/{kind}"}"/>'
        for key, (kind, target) in targets.items()
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{lines}</Relationships>'


def _core(title: str) -> str:
    return (
        f'{_HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(title)}</dc:title></cp:coreProperties>"
    )
