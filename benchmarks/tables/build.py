"""Write the documents of one half of the table material from its `tables.json`.

Use: python build.py tables.json OUT/

`tables.json` is a list of documents, all of one form:
    file               the file name, as a person would choose it
    format             xlsx, csv, tsv, docx, pptx, html, md or pdf
    title              the title row or heading ("" for none)
    paragraphs_before  text above the tables
    tables             one or more tables (below)
    paragraphs_after   text under the tables
    options            delimiter, encoding (csv, tsv); lines: drawn or undrawn (pdf)

A table:
    id, kind           its number and its kind, 1 to 10 (null: a second table beside it)
    name               the sheet name or caption
    rows               the cells: text, number, null (empty), {"date": "2024-05-03"},
                       {"time": "09:30"} or {"datetime": "2024-05-03T09:30"}, "=..." (a formula)
    header_rows        how many of the first rows are heads
    merged             ranges such as "A3:A6"; row 1 is the first row of the table, not of the sheet
    number_formats     column letter to number format, for the rows under the heads (xlsx only)
    hidden_rows        rows of the table to hide (xlsx only)
    formulas           true where cells hold formulas (xlsx only; no value is stored with them)
    start_column       1 as a rule; 2 leaves column A empty (xlsx, csv, tsv)
    same_sheet         true: stands under the table before it, on the same sheet (xlsx only)
    before, after      lines right above and under the table

Ranges and formulas are written as if the table began at A1; the xlsx writer moves them.
In all other formats cells are written as text, dates as day/month/year.
"""

from __future__ import annotations

import csv
import datetime as dt
import json
import sys
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from docx import Document
from openpyxl import Workbook
from openpyxl.formula.translate import Translator
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.worksheet.worksheet import Worksheet
from pptx import Presentation
from pptx.util import Cm, Pt
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer
from reportlab.platypus import Table as PdfTable

Doc = dict[str, Any]
Table = dict[str, Any]
DATE_FORMS = {dt.datetime: "dd/mm/yyyy hh:mm", dt.date: "dd/mm/yyyy", dt.time: "hh:mm"}
TEXT_FORMS = {dt.datetime: "%d/%m/%Y %H:%M", dt.date: "%d/%m/%Y", dt.time: "%H:%M"}


def value_of(cell: Any) -> Any:
    """The Python value of a cell: a date or time for the dictionary forms, else the cell itself."""
    if isinstance(cell, dict):
        ((form, text),) = cell.items()
        types: dict[str, Any] = {"date": dt.date, "time": dt.time, "datetime": dt.datetime}
        return types[form].fromisoformat(text)
    return cell


def text_rows(table: Table) -> list[list[str]]:
    """All rows as text, each as long as the longest."""
    width = max(len(row) for row in table["rows"])
    rows = []
    for row in table["rows"]:
        values = [value_of(cell) for cell in row] + [None] * (width - len(row))
        texts = [
            v.strftime(TEXT_FORMS[type(v)]) if type(v) in TEXT_FORMS else str(v) for v in values
        ]
        rows.append(["" if v is None else text for v, text in zip(values, texts, strict=True)])
    return rows


def spans(table: Table) -> list[tuple[int, int, int, int]]:
    """The merged ranges as first row, first column, last row, last column, counted from 0."""
    bounds = [range_boundaries(area) for area in table["merged"]]
    return [(top - 1, left - 1, bottom - 1, right - 1) for left, top, right, bottom in bounds]


def write_delimited(doc: Doc, path: Path) -> None:
    """Write a csv or tsv file: title and notes as rows of one cell, empty rows round the table."""
    mark = doc["options"].get("delimiter", "\t" if doc["format"] == "tsv" else ",")
    lines: list[list[str]] = [[line] for line in [doc["title"], *doc["paragraphs_before"]] if line]
    for table in doc["tables"]:
        lines += [[]] if lines else []
        lines += [[line] for line in table["before"]]
        lines += [[""] * (table["start_column"] - 1) + row for row in text_rows(table)]
        lines += [[line] for line in table["after"]]
    if doc["paragraphs_after"]:
        lines += [[], *[[line] for line in doc["paragraphs_after"]]]
    with path.open("w", encoding=doc["options"].get("encoding", "utf-8"), newline="") as out:
        csv.writer(out, delimiter=mark).writerows(lines)


def place_table(sheet: Worksheet, table: Table, top: int) -> int:
    """Put the table on the sheet from row `top` on; give the row after it."""
    left = table["start_column"]
    for r, row in enumerate(table["rows"]):
        for c, raw in enumerate(row):
            value = value_of(raw)
            if value is None:
                continue
            cell = sheet.cell(top + r, left + c)
            if table["formulas"] and str(value).startswith("="):
                origin = f"{get_column_letter(c + 1)}{r + 1}"
                value = Translator(value, origin=origin).translate_formula(cell.coordinate)
            cell.value = value
            if r < table["header_rows"]:
                cell.font = Font(bold=True)
                cell.fill = PatternFill("solid", fgColor="DDE6EE")
                cell.alignment = Alignment(wrap_text=True, vertical="center")
            elif type(value) in DATE_FORMS:
                cell.number_format = DATE_FORMS[type(value)]
            elif not isinstance(value, str) or table["formulas"]:
                cell.number_format = table["number_formats"].get(
                    get_column_letter(c + 1), "General"
                )
    for r1, c1, r2, c2 in spans(table):
        sheet.merge_cells(
            start_row=top + r1, start_column=left + c1, end_row=top + r2, end_column=left + c2
        )
    for r in table["hidden_rows"]:
        sheet.row_dimensions[top + r - 1].hidden = True
    for c in range(len(table["rows"][0])):
        sheet.column_dimensions[get_column_letter(left + c)].width = 24 if c == 0 else 15
    return top + len(table["rows"])


def write_xlsx(doc: Doc, path: Path) -> None:
    """Write a workbook: a sheet a table, unless the table says `same_sheet`."""
    book = Workbook()
    book.remove(book.worksheets[0])
    row = 1
    for number, table in enumerate(doc["tables"]):
        if not table["same_sheet"]:
            book.create_sheet(table["name"])
            row = 1
        sheet = book.worksheets[-1]
        if number == 0 and doc["title"]:
            sheet.cell(1, 1, doc["title"]).font = Font(bold=True, size=14)
            row = 2
        for line in (doc["paragraphs_before"] if number == 0 else []) + table["before"]:
            sheet.cell(row, 1, line)
            row += 1
        row = place_table(sheet, table, row + 1 if row > 1 else 1)
        for line in table["after"] + (doc["paragraphs_after"] if number == 0 else []):
            row += 1
            sheet.cell(row, 1, line).font = Font(italic=True)
        row += 2
    book.save(str(path))


def fill_grid(grid: Any, table: Table) -> None:
    """Fill a docx or pptx table and make its real merges."""
    rows = text_rows(table)
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            grid.cell(r, c).text = text
    for r1, c1, r2, c2 in spans(table):
        grid.cell(r1, c1).merge(grid.cell(r2, c2))
        grid.cell(r1, c1).text = rows[r1][c1]


def write_docx(doc: Doc, path: Path) -> None:
    """Write a Word document with the paragraphs round its tables."""
    out = Document()
    out.add_heading(doc["title"], level=1)
    for line in doc["paragraphs_before"]:
        out.add_paragraph(line)
    for table in doc["tables"]:
        if table["name"]:
            out.add_heading(table["name"], level=2)
        for line in table["before"]:
            out.add_paragraph(line)
        grid = out.add_table(len(table["rows"]), len(text_rows(table)[0]), style="Table Grid")
        fill_grid(grid, table)
        for row in grid.rows[: table["header_rows"]]:
            for run in [run for cell in row.cells for part in cell.paragraphs for run in part.runs]:
                run.bold = True
        for line in [*table["after"], ""]:
            out.add_paragraph(line)
    for line in doc["paragraphs_after"]:
        out.add_paragraph(line)
    out.save(str(path))


def write_pptx(doc: Doc, path: Path) -> None:
    """Write slides: one with the text before, one a table, one with the text after."""
    deck = Presentation()

    def text_slide(title: str, lines: list[str]) -> None:
        if lines:
            slide = deck.slides.add_slide(deck.slide_layouts[1])
            slide.shapes.title.text = title
            slide.placeholders[1].text = "\n".join(lines)

    text_slide(doc["title"], doc["paragraphs_before"])
    for table in doc["tables"]:
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = table["name"] or doc["title"]
        high, wide = len(table["rows"]), len(text_rows(table)[0])
        grid = slide.shapes.add_table(high, wide, Cm(1), Cm(4), Cm(23), Cm(0.8 * high)).table
        fill_grid(grid, table)
        for part in [part for cell in grid.iter_cells() for part in cell.text_frame.paragraphs]:
            part.font.size = Pt(11)
        if table["before"] + table["after"]:
            box = slide.shapes.add_textbox(Cm(1), Cm(16.5), Cm(23), Cm(2))
            box.text_frame.text = "\n".join(table["before"] + table["after"])
    text_slide("Notes", doc["paragraphs_after"])
    deck.save(str(path))


def html_table(table: Table) -> list[str]:
    """The lines of one html table, with rowspan and colspan for merged cells."""
    areas = spans(table)
    lines = ["<table>"] + ([f"<caption>{escape(table['name'])}</caption>"] if table["name"] else [])
    for r, row in enumerate(text_rows(table)):
        tag = "th" if r < table["header_rows"] else "td"
        cells = ""
        for c, text in enumerate(row):
            r1, c1, r2, c2 = next(
                (a for a in areas if a[0] <= r <= a[2] and a[1] <= c <= a[3]), (r, c, r, c)
            )
            if (r, c) == (r1, c1):
                extra = f' rowspan="{r2 - r1 + 1}"' if r2 > r1 else ""
                extra += f' colspan="{c2 - c1 + 1}"' if c2 > c1 else ""
                cells += f"<{tag}{extra}>{escape(text)}</{tag}>"
        lines.append(f"<tr>{cells}</tr>")
    return [*lines, "</table>"]


def write_html(doc: Doc, path: Path) -> None:
    """Write a plain web page."""

    def paragraphs(lines: list[str]) -> list[str]:
        return [f"<p>{escape(line)}</p>" for line in lines]

    title = escape(doc["title"])
    lines = [
        "<!DOCTYPE html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>',
    ]
    lines += ["<body>", f"<h1>{title}</h1>", *paragraphs(doc["paragraphs_before"])]
    for table in doc["tables"]:
        lines += [*paragraphs(table["before"]), *html_table(table), *paragraphs(table["after"])]
    lines += [*paragraphs(doc["paragraphs_after"]), "</body></html>", ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def write_md(doc: Doc, path: Path) -> None:
    """Write a markdown page with pipe tables; the first row is the head."""
    blocks = [f"# {doc['title']}", *doc["paragraphs_before"]]
    for table in doc["tables"]:
        head, *body = [[text.replace("|", "\\|") for text in row] for row in text_rows(table)]
        rows = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body]]
        blocks += ([f"## {table['name']}"] if table["name"] else []) + table["before"]
        blocks += ["\n".join(rows), *table["after"]]
    path.write_text("\n\n".join([*blocks, *doc["paragraphs_after"]]) + "\n", encoding="utf-8")


def write_pdf(doc: Doc, path: Path) -> None:
    """Write a pdf; `lines: undrawn` leaves columns that only the spaces between them show."""
    styles = getSampleStyleSheet()

    def paragraphs(lines: list[str], style: str = "BodyText") -> list[Flowable]:
        return [
            part
            for text in lines
            if text
            for part in (Paragraph(escape(text), styles[style]), Spacer(1, 6))
        ]

    parts = [*paragraphs([doc["title"]], "Heading1"), *paragraphs(doc["paragraphs_before"])]
    for table in doc["tables"]:
        heads = table["header_rows"]
        style: list[tuple[Any, ...]] = [("FONTNAME", (0, 0), (-1, heads - 1), "Helvetica-Bold")]
        if doc["options"].get("lines") != "undrawn":
            style.append(("GRID", (0, 0), (-1, -1), 0.5, colors.black))
        style += [("SPAN", (c1, r1), (c2, r2)) for r1, c1, r2, c2 in spans(table)]
        parts += [*paragraphs([table["name"]], "Heading3"), *paragraphs(table["before"])]
        parts += [
            PdfTable(text_rows(table), style=style, hAlign="LEFT", repeatRows=heads),
            Spacer(1, 8),
        ]
        parts += paragraphs(table["after"])
    parts += paragraphs(doc["paragraphs_after"])
    SimpleDocTemplate(str(path), pagesize=A4, title=doc["title"], invariant=1).build(parts)


WRITERS: dict[str, Callable[[Doc, Path], None]] = {
    "csv": write_delimited, "tsv": write_delimited, "xlsx": write_xlsx, "docx": write_docx,
    "pptx": write_pptx, "html": write_html, "md": write_md, "pdf": write_pdf,
}  # fmt: skip


def build(source: Path, folder: Path) -> int:
    """Write every document of a half into a folder, and return how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    docs: list[Doc] = json.loads(source.read_text(encoding="utf-8"))
    for doc in docs:
        WRITERS[doc["format"]](doc, folder / doc["file"])
    return len(docs)


if __name__ == "__main__":
    print(f"{build(Path(sys.argv[1]), Path(sys.argv[2]))} documents in {sys.argv[2]}")
