"""Fields beside a document's text, as filters find them."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from pathlib import Path

import docx
import openpyxl
import pptx
import pypdf
import pytest
from langchain_core.documents import Document as LangChainDocument

from benchmarks.everyday.placed_pdf import column, placed_pdf
from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents

CREATED = datetime(2024, 3, 5, 7, 30)


def load(path: Path) -> Document:
    (document,) = load_documents([path])
    assert isinstance(document, Document)
    return document


def test_further_fields_of_a_corpus_line_are_metadata(tmp_path: Path) -> None:
    row = {
        "id": "1",
        "title": "T",
        "text": "Said.",
        "author": "Ada",
        "year": 2024,
        "final": True,
        "tags": ["a", "b"],
        "metadata": {"topic": "tides"},
        "publisher": {"name": "Tern"},
        "nothing": None,
        "paragraphs": [{"text": "x"}],
        "long": "x" * 3000,
    }
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps(row))
    assert load(path).metadata == {
        "author": "Ada",
        "year": "2024",
        "final": "true",
        "tags": '["a", "b"]',
        "topic": "tides",
        "publisher.name": "Tern",
    }


def test_front_matter_and_the_last_change_of_a_file_are_metadata(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    front = "title: Tides\nauthor: 'Ada B'\ndate: 2024-03-31\ntags: [a, \"b\"]\nteam:\n  - x\n  - y"
    path.write_text(f"---\n{front}\n---\n\nThe tide is high.\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert load(path).metadata == {
        "modified": "2023-11-14T22:13:20",
        "title": "Tides",
        "author": "Ada B",
        "date": "2024-03-31",
        "tags": '["a", "b"]',
        "team": '["x", "y"]',
    }


def test_a_langchain_documents_lists_are_lists() -> None:
    given = LangChainDocument("Said.", id="1", metadata={"tags": ["a", "b"], "page": 3})
    (document,) = load_documents([given])
    assert isinstance(document, Document)
    assert document.metadata == {"tags": '["a", "b"]', "page": "3"}


def mail(date: str) -> bytes:
    return f"From: ida@example.org\nSubject: Tar\n{date}\n\nThe tar is here.\n".encode()


def test_a_mail_has_the_moment_of_its_date_in_utc(tmp_path: Path) -> None:
    path = tmp_path / "tar.eml"
    path.write_bytes(mail("Date: Tue, 5 Mar 2024 08:30:00 +0100"))
    assert load(path).metadata["date"] == "2024-03-05T07:30:00"


@pytest.mark.parametrize("date", ["X-Tray: 3", "Date: the day after", "Date: 99 Mar 2024 25:61:00"])
def test_a_mail_whose_date_cannot_be_read_has_none(tmp_path: Path, date: str) -> None:
    path = tmp_path / "tar.eml"
    path.write_bytes(mail(date))
    assert "date" not in load(path).metadata


def word_file(path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("The tar is here.")
    document.core_properties.created = CREATED
    document.save(str(path))


def slides(path: Path) -> None:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[0])
    slide.shapes.title.text = "The tar is here."
    presentation.core_properties.created = CREATED
    presentation.save(str(path))


def workbook(path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Tar", 3])
    book.properties.created = CREATED
    book.save(path)


def pdf(path: Path, created: str = "D:20240305073000Z") -> None:
    written = BytesIO(placed_pdf([column("The tar is here.", left=60, top=700)]))
    writer = pypdf.PdfWriter(clone_from=written)
    writer.add_metadata({"/CreationDate": created})
    writer.write(path)


@pytest.mark.parametrize(
    ("name", "write"),
    [("a.docx", word_file), ("a.pptx", slides), ("a.xlsx", workbook), ("a.pdf", pdf)],
)
def test_files_that_tell_when_they_were_made_have_that_moment(
    tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    write(tmp_path / name)
    assert load(tmp_path / name).metadata["created"] == "2024-03-05T07:30:00"


def test_a_workbook_that_tells_no_date_has_none(tmp_path: Path) -> None:
    workbook(tmp_path / "whole.xlsx")
    with (
        zipfile.ZipFile(tmp_path / "whole.xlsx") as whole,
        zipfile.ZipFile(tmp_path / "a.xlsx", "w") as bare,
    ):
        for name in whole.namelist():
            if name != "docProps/core.xml":
                bare.writestr(name, whole.read(name))
    assert "created" not in load(tmp_path / "a.xlsx").metadata


def test_a_pdf_with_another_form_of_date_is_read_without_it(tmp_path: Path) -> None:
    pdf(tmp_path / "a.pdf", "last spring")
    assert "created" not in load(tmp_path / "a.pdf").metadata
