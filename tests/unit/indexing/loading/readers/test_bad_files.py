"""Files that are damaged, locked or made to do harm are named and skipped; the rest is read."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from benchmarks.everyday.packed_files import Row, Slide, archive, docx, epub, pptx, xlsx
from benchmarks.everyday.placed_pdf import column, placed_pdf
from hoptrail.core.errors import InputError
from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.files import Skipped
from hoptrail.indexing.loading.readers import raw_bytes, workbooks
from hoptrail.indexing.loading.readers.registry import read_file
from hoptrail.indexing.loading.readers.tables import MAX_COLUMNS
from hoptrail.indexing.loading.readers.web_pages import MAX_TAGS

OFFICE = {
    "a.docx": docx([("Normal", "The lift carries 40 tonnes.")]),
    "a.pptx": pptx([Slide("Launch", ("At high water",))]),
    "a.xlsx": xlsx({"Prices": [("Berth", "Price"), ("Hall A", 12)]}),
}
BOMB = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


def repacked(data: bytes, changed: dict[str, bytes]) -> bytes:
    """Return an archive with some entries replaced or added."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        return archive({**{name: old.read(name) for name in old.namelist()}, **changed})


def reason(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_file(path)
    return caught.value.message


def main_part(name: str) -> str:
    parts = {".docx": "word/document.xml", ".pptx": "ppt/slides/slide1.xml"}
    return parts.get(Path(name).suffix, "xl/worksheets/sheet1.xml")


def test_bad_files_of_a_folder_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "office"
    folder.mkdir()
    (folder / "good.docx").write_bytes(OFFICE["a.docx"])
    (folder / "cut.docx").write_bytes(OFFICE["a.docx"][:900])
    (folder / "cut.pdf").write_bytes(b"%PDF-1.4 nonsense")
    (folder / "broken.json").write_text('{"a": ')
    (folder / "wide.xlsx").write_bytes(
        xlsx({"Wide": [tuple(range(1000))], "Good": [("Berth", "Price"), ("Hall A", 12)]})
    )
    items = list(load_documents([folder]))
    assert [item.id for item in items if isinstance(item, Document)] == [
        "office/good.docx",
        "office/wide.xlsx",
    ]
    skipped = {Path(item.path).name for item in items if isinstance(item, Skipped)}
    assert skipped == {"cut.docx", "cut.pdf", "broken.json", "wide.xlsx, sheet Wide"}


@pytest.mark.parametrize("name", OFFICE)
def test_an_archive_that_unpacks_to_too_much_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_bytes, "MAX_UNPACKED", 3 * 1024 * 1024)
    path = tmp_path / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bomb:
        with zipfile.ZipFile(io.BytesIO(OFFICE[name])) as good:
            for entry in good.namelist():
                bomb.writestr(entry, good.read(entry))
        bomb.writestr("media/zeros.bin", bytes(4 * 1024 * 1024))
    assert path.stat().st_size < 40_000
    assert "zip bomb" in reason(path)


def test_an_entry_that_says_it_is_small_is_counted_by_what_it_unpacks_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_bytes, "MAX_UNPACKED", 1024 * 1024)
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("media/zeros.bin", bytes(4 * 1024 * 1024))
    lying = path.read_bytes().replace((4 * 1024 * 1024).to_bytes(4, "little"), b"\x10\0\0\0")
    path.write_bytes(lying)
    assert "zip bomb" in reason(path) or "damaged" in reason(path)


@pytest.mark.parametrize("name", OFFICE)
def test_an_archive_within_an_office_file_is_never_opened(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    inner = archive({"secret.txt": "Never read."})
    path.write_bytes(repacked(OFFICE[name], {"embedded/inner.zip": inner}))
    text, *_ = read_file(path).joined()
    assert text
    assert "Never read" not in text


@pytest.mark.parametrize("name", OFFICE)
@pytest.mark.parametrize("declared", [BOMB, OUTSIDE])
def test_xml_that_declares_entities_is_refused(name: str, declared: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(OFFICE[name])) as good:
        part = good.read(main_part(name)).decode()
    head, _, rest = part.partition("?>")
    path = tmp_path / name
    path.write_bytes(
        repacked(OFFICE[name], {main_part(name): f"{head}?>{declared}{rest}".encode()})
    )
    assert "entities" in reason(path)


def test_entities_in_utf16_are_seen_too(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    part = f'<?xml version="1.0" encoding="utf-16"?>{BOMB}<a/>'.encode("utf-16")
    path.write_bytes(repacked(OFFICE["a.docx"], {main_part("a.docx"): part}))
    assert "entities" in reason(path)


def test_entities_of_an_e_book_are_not_resolved(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("Never read.")
    declared = f'<!DOCTYPE html [<!ENTITY a SYSTEM "{outside.as_uri()}">]>'
    page = f"{declared}<html><body><p>The first keel. &a;</p></body></html>"
    path = tmp_path / "a.epub"
    book = epub({"Keel": "<p>x</p>"}, title="A book", author="A")
    path.write_bytes(repacked(book, {"OEBPS/text/chapter1.xhtml": page.encode()}))
    text, *_ = read_file(path).joined()
    assert "The first keel." in text
    assert "Never read" not in text


def test_text_by_the_name_of_an_office_file_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_text("Minutes of the harbour board.")
    assert reason(path) == "no .docx file inside, whatever its name says"


def test_a_missing_file_names_what_is_called_nearly_so(tmp_path: Path) -> None:
    (tmp_path / "minutes.docx").touch()
    assert reason(tmp_path / "minuets.docx") == "no such file, but 'minutes.docx' lies there"
    assert reason(tmp_path / "accounts.docx") == "no such file"


@pytest.mark.parametrize("name", OFFICE)
@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_a_file_that_is_cut_short_is_named(name: str, kept: float, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(OFFICE[name][: int(len(OFFICE[name]) * kept)])
    assert reason(path) == "damaged: not a whole archive"


@pytest.mark.parametrize("name", OFFICE)
def test_an_archive_of_something_else_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(archive({"readme.txt": "No Office file."}))
    assert reason(path).startswith("not a readable")


def test_macros_are_neither_run_nor_read(tmp_path: Path) -> None:
    path = tmp_path / "offer.docm"
    path.write_bytes(docx([("Normal", "The offer stands.")], macros=True))
    text, *_ = read_file(path).joined()
    assert text == "The offer stands."


def test_a_workbook_with_macros_is_read_without_them(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsm"
    path.write_bytes(repacked(OFFICE["a.xlsx"], {"xl/vbaProject.bin": b"Sub AutoOpen()"}))
    assert read_file(path).joined()[0] == "Berth: Hall A; Price: 12"


def test_locked_files_say_so(tmp_path: Path) -> None:
    ole = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)
    for name in OFFICE:
        (tmp_path / name).write_bytes(ole + "EncryptedPackage".encode("utf-16-le"))
        assert "password" in reason(tmp_path / name)
    (tmp_path / "a.pdf").write_bytes(placed_pdf([column("x", left=9, top=9)], locked=True))
    assert "password" in reason(tmp_path / "a.pdf")


def test_a_pdf_that_is_locked_for_all_but_some_programs_says_so(tmp_path: Path) -> None:
    locked = placed_pdf([column("x", left=9, top=9)], locked=True)
    (tmp_path / "a.pdf").write_bytes(locked.replace(b"/Standard", b"/Adobe.PubSec"))
    assert "its owner lets only certain programs or people read it" in reason(tmp_path / "a.pdf")


def test_a_locked_entry_of_an_archive_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.epub"
    data = bytearray(archive({"mimetype": "application/epub+zip"}))
    directory = data.index(b"PK\x01\x02")
    data[6] |= 1
    data[directory + 8] |= 1
    path.write_bytes(data)
    assert "password" in reason(path)


def test_an_office_file_of_old_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"  # renamed, not converted
    path.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504))
    assert "save it as .docx" in reason(path)


def test_a_sheet_that_is_too_wide_is_left_out_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(
        xlsx({"Wide": [tuple(range(MAX_COLUMNS + 1))], "Good": [("Berth", "Price"), ("A", 1)]})
    )
    content = read_file(path)
    assert [block.text for block in content.blocks] == ["Berth: A; Price: 1"]
    assert [part for part, _ in content.left_out] == ["sheet Wide"]


def test_a_workbook_of_wide_sheets_alone_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(xlsx({"Wide": [tuple(range(1000))]}))
    assert "1,000 columns" in reason(path)


def test_a_workbook_of_too_many_cells_is_read_up_to_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbooks, "MAX_CELLS", 6)
    path = tmp_path / "a.xlsx"
    rows: list[Row] = [("Berth", "Price"), ("A", 1)]
    path.write_bytes(xlsx({"One": rows, "Two": rows, "Three": rows}))
    content = read_file(path)
    assert [block.place for block in content.blocks] == ["sheet One, row 2"]
    assert [part for part, _ in content.left_out] == ["sheet Two", "sheet Three"]


def test_a_sheet_that_says_it_has_a_million_rows_is_read_by_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(io.BytesIO(OFFICE["a.xlsx"])) as good:
        sheet = good.read("xl/worksheets/sheet1.xml").decode()
    lying = sheet.replace("<sheetData>", '<dimension ref="A1:XFD1048576"/><sheetData>')
    path.write_bytes(repacked(OFFICE["a.xlsx"], {"xl/worksheets/sheet1.xml": lying.encode()}))
    assert read_file(path).joined()[0] == "Berth: Hall A; Price: 12"


def test_a_table_that_is_too_wide_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(",".join(f"c{number}" for number in range(1000)))
    assert "1,000 columns" in reason(path)


def test_slides_without_text_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.pptx"
    path.write_bytes(pptx([Slide(), Slide("Launch"), Slide()]))
    content = read_file(path)
    assert [(block.text, block.place) for block in content.blocks] == [("# Launch", "slide 2")]
    path.write_bytes(pptx([Slide(), Slide()]))
    assert reason(path) == "holds no text"


def test_pages_of_a_pdf_without_text_are_pictures(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(placed_pdf([column("The lift.", left=60, top=700), []]))
    content = read_file(path)
    assert [block.place for block in content.blocks] == ["page 1"]
    (picture,) = content.pictures
    assert (picture.name, picture.page, picture.at) == ("page 2", 1, 1)


def test_a_page_of_100_000_tags_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(f"<html><body>{'<b>x</b>' * 100_000}</body></html>")
    assert "tags" in reason(path)


def test_tags_as_deep_as_a_page_may_have_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    deep = MAX_TAGS // 2
    path.write_text(f"<html><body>{'<div>' * deep}The keel.{'</div>' * deep}<p>End.</p></body>")
    try:
        text, *_ = read_file(path).joined()
    except InputError as error:
        assert error.message == "holds no text"
    else:
        assert text


def test_json_that_is_nested_too_deeply_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[" * 200 + '"x"' + "]" * 200)
    assert "levels" in reason(path)
    path.write_text("[" * 200_000)
    assert "JSON" in reason(path)


@pytest.mark.parametrize("suffix", [".eml", ".ipynb", ".epub", ".json", ".pdf", ".docx", ".xlsx"])
@pytest.mark.parametrize("data", [b"\x01\x02\x03" * 50, b"\xff" * 50, b"{}", b"<x>" * 99])
def test_any_bytes_are_an_error_in_one_line(suffix: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(data)
    assert "\n" not in reason(path)


@pytest.mark.parametrize("name", OFFICE)
def test_a_part_without_a_name_is_damage(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(repacked(OFFICE[name], {"": b"x"}))
    assert reason(path) == "damaged: a part of it has no name"
