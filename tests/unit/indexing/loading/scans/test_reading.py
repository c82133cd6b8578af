"""Pictures of files as text: what is read, kept, named, and counted."""

from __future__ import annotations

import base64
import errno
import io
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest
from PIL import Image

from benchmarks.everyday.packed_files import archive, epub
from benchmarks.everyday.placed_pdf import column as pdf_column
from benchmarks.everyday.placed_pdf import placed_pdf
from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.files import Skipped
from hoptrail.indexing.loading.readers.pictures import with_files_beside
from hoptrail.indexing.loading.readers.registry import read_file
from hoptrail.indexing.loading.scans import OcrMode, reading
from hoptrail.indexing.loading.scans.reading import Scans
from hoptrail.indexing.loading.scans.recognised_pages import MemoryShelf
from tests.scanned import KnownPages, OwnProcessPool, coloured, line, page

RED, BLUE, GREEN = (200, 0, 0), (0, 0, 200), (0, 160, 0)
WHITE = (255, 255, 255)
MILL, PIER = "The mill was built by Ida Holm.", "The pier lies at Wick."
PAGES = {RED: page(line(MILL, 80, 100)), BLUE: page(line(PIER, 80, 100))}


@pytest.fixture
def known() -> KnownPages:
    return KnownPages(dict(PAGES))


def scans(
    known: KnownPages, mode: OcrMode = "auto", *, shelf: MemoryShelf | None = None, **more: int
) -> Scans:
    return Scans(mode, pool=OwnProcessPool(known), shelf=shelf, **more)  # type: ignore[arg-type]


def load(path: Path, own: Scans) -> list[Document | Skipped]:
    return list(load_documents([path], scans=own))


def documents(path: Path, own: Scans) -> list[Document]:
    return [item for item in load(path, own) if isinstance(item, Document)]


def reasons(path: Path, own: Scans) -> list[str]:
    return [item.reason for item in load(path, own) if isinstance(item, Skipped)]


def coloured_tiff(path: Path, *colours: tuple[int, int, int]) -> Path:
    pages = []
    for colour in colours:
        with Image.open(coloured(path.with_suffix(".png"), colour)) as opened:
            pages.append(opened.copy())
    path.with_suffix(".png").unlink()
    pages[0].save(path, save_all=True, append_images=pages[1:])
    return path


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp"])
def test_a_picture_is_a_document(tmp_path: Path, known: KnownPages, suffix: str) -> None:
    (document,) = documents(coloured(tmp_path / f"a{suffix}", RED), scans(known))
    assert document.text == MILL
    (found,) = document.scans
    assert [document.text[word.start : word.end] for word in found.words] == MILL.split()


def test_the_pages_of_a_tiff_are_pages(tmp_path: Path, known: KnownPages) -> None:
    (document,) = documents(coloured_tiff(tmp_path / "a.tif", RED, BLUE), scans(known))
    assert document.text == f"{MILL}\n\n{PIER}"
    assert [name for _, name in document.places] == ["page 1", "page 2"]
    assert [one.place for one in document.scans] == ["page 1", "page 2"]


def test_a_page_of_a_pdf_without_text_is_read_in_its_place(
    tmp_path: Path, known: KnownPages
) -> None:
    path = tmp_path / "a.pdf"
    first = pdf_column("The first page is text.", left=60, top=700)
    last = pdf_column("So is the last page.", left=60, top=700)
    path.write_bytes(placed_pdf([first, [], last]))
    known.pages[WHITE] = PAGES[RED]
    (document,) = documents(path, scans(known))
    assert [part for part in document.text.split("\n\n")] == [
        "The first page is text.",
        MILL,
        "So is the last page.",
    ]
    assert [name for _, name in document.places] == ["page 1", "page 2", "page 3"]
    assert known.asked == 1


def test_force_reads_every_page_anew(tmp_path: Path, known: KnownPages) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(placed_pdf([pdf_column("Tne rnill was buitt.", left=60, top=700)]))
    known.pages[WHITE] = PAGES[RED]
    (document,) = documents(path, scans(known, "force"))
    assert document.text == MILL


def test_a_picture_is_read_once(tmp_path: Path, known: KnownPages) -> None:
    shelf = MemoryShelf()
    coloured(tmp_path / "a.png", RED)
    first = documents(tmp_path, scans(known, shelf=shelf))
    coloured(tmp_path / "moved.bmp", RED)
    (tmp_path / "a.png").unlink()
    second = documents(tmp_path, scans(known, shelf=shelf))
    assert known.asked == 1
    assert [one.text for one in first] == [one.text for one in second]
    assert first[0].scans == second[0].scans


def test_a_picture_without_text_is_named_and_not_looked_at_again(
    tmp_path: Path, known: KnownPages
) -> None:
    shelf = MemoryShelf()
    path = coloured(tmp_path / "a.png", GREEN)
    for _ in range(2):
        assert reasons(path, scans(known, shelf=shelf)) == ["no text was found in its picture"]
    assert known.asked == 1


def test_what_cannot_be_read_leaves_the_others(tmp_path: Path, known: KnownPages) -> None:
    coloured(tmp_path / "good.png", RED)
    (tmp_path / "no.jpg").write_bytes(b"hello")
    (tmp_path / "note.txt").write_text("A note.")
    assert {one.text for one in documents(tmp_path, scans(known))} == {MILL, "A note."}
    assert "not a readable picture" in " ".join(reasons(tmp_path, scans(known)))


def test_off_names_pictures_and_reads_none(tmp_path: Path, known: KnownPages) -> None:
    path = coloured(tmp_path / "a.png", RED)
    assert reasons(path, scans(known, "off")) == [
        'a picture: --ocr auto, or ocr="auto", lets it be read'
    ]
    assert known.asked == 0


def test_without_the_extra_pictures_are_named_with_it(
    tmp_path: Path, known: KnownPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "is_installed", lambda: False)
    path = tmp_path / "a.pdf"
    path.write_bytes(placed_pdf([pdf_column("One.", left=60, top=700), [], [], []]))
    (document,) = documents(path, scans(known))
    assert document.text == "One."
    (told,) = [item for item in load(path, scans(known)) if isinstance(item, Skipped)]
    assert told.path.endswith("a.pdf, pages 2-4")
    assert told.reason == 'holds no text: pip install "hoptrail[ocr]" lets it be read'


def test_pages_beyond_the_limit_are_named(tmp_path: Path, known: KnownPages) -> None:
    path = coloured_tiff(tmp_path / "a.tif", RED, BLUE, RED, BLUE)
    own = scans(known, max_pages=2)
    document, told = load(path, own)
    assert isinstance(document, Document) and len(document.scans) == 2
    assert isinstance(told, Skipped)
    assert told.path.endswith("pages 3-4") and "--ocr-pages" in told.reason


@pytest.mark.slow
def test_of_five_hundred_pages_those_beyond_the_limit_are_named_in_one_line(
    tmp_path: Path, known: KnownPages
) -> None:
    path = coloured_tiff(tmp_path / "a.tif", *[RED] * 500)
    document, told = load(path, scans(known, max_pages=3))
    assert isinstance(document, Document) and len(document.scans) == 3
    assert isinstance(told, Skipped) and told.path.endswith("pages 4-500")


@pytest.mark.slow
def test_a_forecast_of_five_hundred_pages_recognises_none(
    tmp_path: Path, known: KnownPages
) -> None:
    colours = [(100 + number % 100, 200, 200 + number // 100) for number in range(500)]
    forecast = Scans(pool=OwnProcessPool(known), shelf=MemoryShelf(), is_forecast=True)
    documents(coloured_tiff(tmp_path / "a.tif", *colours), forecast)
    assert (forecast.counted, known.asked) == (500, 0)


def test_a_picture_that_unpacks_to_too_many_pixels_is_named(
    tmp_path: Path, known: KnownPages
) -> None:
    Image.new("1", (20_000, 10_000)).save(tmp_path / "huge.png")
    assert (tmp_path / "huge.png").stat().st_size < 100_000
    (told,) = load(tmp_path / "huge.png", scans(known))
    assert isinstance(told, Skipped) and "20,000 x 10,000 pixels" in told.reason


def test_lines_that_were_not_recognised_are_told(tmp_path: Path, known: KnownPages) -> None:
    known.pages[GREEN] = page(line(MILL, 80, 100), unread=5)
    path = coloured(tmp_path / "a.png", GREEN)
    assert documents(path, scans(known))[0].text == MILL
    assert reasons(path, scans(known))[0].startswith("5 of 6 lines were not recognised")


def test_words_that_are_nearly_all_unsure_are_no_text(tmp_path: Path, known: KnownPages) -> None:
    known.pages[GREEN] = page(line("n 7 n 7 d D17", 80, 100, 0.5))
    path = coloured(tmp_path / "a.png", GREEN)
    assert documents(path, scans(known)) == []
    assert "6 of 6 words cannot be read for certain" in reasons(path, scans(known))[0]


def test_a_picture_of_a_mail_is_read_where_it_is_attached(
    tmp_path: Path, known: KnownPages
) -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "a@example.org", "The mill"
    mail.set_content("See the picture.")
    data = coloured(tmp_path / "a.png", RED).read_bytes()
    for name in ("mill.png", "again.png"):
        mail.add_attachment(data, maintype="image", subtype="png", filename=name)
    path = tmp_path / "a.eml"
    path.write_bytes(mail.as_bytes())
    (document,) = documents(path, scans(known))
    assert document.text.endswith(f"See the picture.\n\n{MILL}")
    assert document.places[-1][1] == "attachment mill.png"


def test_pictures_of_office_files_are_read(tmp_path: Path, known: KnownPages) -> None:
    docx, pptx = pytest.importorskip("docx"), pytest.importorskip("pptx")
    picture = str(coloured(tmp_path / "a.png", RED))
    written = docx.Document()
    written.add_paragraph("Notes on the mill.")
    written.add_picture(picture)
    written.save(str(tmp_path / "a.docx"))
    slides = pptx.Presentation()
    for _ in range(2):
        slides.slides.add_slide(slides.slide_layouts[6]).shapes.add_picture(picture, 0, 0)
    slides.save(str(tmp_path / "a.pptx"))
    (document,) = documents(tmp_path / "a.docx", scans(known))
    assert document.text == f"Notes on the mill.\n\n{MILL}"
    (document,) = documents(tmp_path / "a.pptx", scans(known))
    assert (document.text, document.places) == (MILL, ((0, "slide 1, picture 1"),))


def test_pictures_of_a_word_file_that_nobody_reads_are_told_in_one_line(
    tmp_path: Path, known: KnownPages
) -> None:
    docx = pytest.importorskip("docx")
    written = docx.Document()
    written.add_paragraph("Notes on the mill.")
    for name, colour in (("a.png", RED), ("b.png", BLUE)):
        written.add_picture(str(coloured(tmp_path / name, colour)))
    written.save(str(tmp_path / "a.docx"))
    (told,) = [
        item for item in load(tmp_path / "a.docx", scans(known, "off")) if isinstance(item, Skipped)
    ]
    assert told.path.endswith("a.docx, 2 pictures")


def html_page(path: Path, *pictures: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    shown = "".join(f"<p>Board {at}: <img src='{one}'></p>" for at, one in enumerate(pictures, 1))
    path.write_text(f"<body><h1>Boards</h1>{shown}<p>They hang in the hall.</p></body>")
    return path


def as_address(path: Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"


def test_pictures_of_a_page_are_read_where_they_stand(tmp_path: Path, known: KnownPages) -> None:
    held = as_address(coloured(tmp_path / "held.png", RED))
    coloured(tmp_path / "a board.png", BLUE)
    page_file = html_page(tmp_path / "a.html", held, "a%20board.png?v=2")
    (document,) = documents(page_file, scans(known))
    assert document.text.split("\n\n")[1:] == [
        "Board 1:",
        MILL,
        "Board 2:",
        PIER,
        "They hang in the hall.",
    ]
    assert [one.place for one in document.scans] == ["picture 1", "picture 2"]


def test_a_page_of_a_folder_shows_pictures_of_that_folder_alone(
    tmp_path: Path, known: KnownPages
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    page_file = html_page(site / "pages" / "a.html", "../mill.png", "../../pier.png")
    coloured(site / "mill.png", RED)
    coloured(tmp_path / "pier.png", BLUE)
    items = load(site, scans(known))
    (document,) = [one for one in items if isinstance(one, Document) and one.id.endswith("a.html")]
    assert MILL in document.text and PIER not in document.text
    told = [one.reason for one in items if isinstance(one, Skipped)]
    assert any(one.startswith("pier.png lies outside of") for one in told)
    (alone,) = documents(page_file, scans(known))
    assert MILL not in alone.text


def test_a_picture_beside_a_page_that_cannot_be_read_is_named_and_costs_no_text(
    tmp_path: Path, known: KnownPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    coloured(tmp_path / "mill.png", RED)
    page_file = html_page(tmp_path / "a.html", "mill.png")
    read = Path.read_bytes

    def refuse_pictures(path: Path) -> bytes:
        if path.suffix == ".png":
            raise PermissionError(errno.EACCES, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse_pictures)
    document, told = load(page_file, scans(known))
    assert isinstance(document, Document) and document.text.endswith("They hang in the hall.")
    assert isinstance(told, Skipped)
    assert told.reason == "mill.png cannot be read: Permission denied"


def test_a_fetched_page_shows_no_file_of_this_machine(tmp_path: Path, known: KnownPages) -> None:
    coloured(tmp_path / "mill.png", RED)
    content = read_file(html_page(tmp_path / "a.html", "mill.png"))
    assert content.pictures
    assert with_files_beside(content, tmp_path / "a.html", None).pictures == ()


def test_addresses_that_hold_no_picture_are_named_or_passed_over(
    tmp_path: Path, known: KnownPages
) -> None:
    page_file = html_page(
        tmp_path / "a.html",
        "data:image/png;base64,%%%%",
        "data:image/jpeg;base64,aGVsbG8=",
        "data:image/svg+xml,x",
        "data:7",
        "https://example.org/a.png",
        "gone.png",
        "http://[broken/a.png",
    )
    document, *told = load(page_file, scans(known))
    assert isinstance(document, Document) and document.text.endswith("They hang in the hall.")
    assert [Path(one.path).name for one in told if isinstance(one, Skipped)] == [
        "a.html, picture 1",
        "a.html, picture 2",
    ]
    assert known.asked == 0


def test_pictures_of_an_e_book_are_read_in_their_chapter(tmp_path: Path, known: KnownPages) -> None:
    drawn = '<svg xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="../a.png"/></svg>'
    book = epub(
        {"Mill": f"<p>One.</p>{drawn}<p>Two.</p>", "Pier": "<p>No.</p>"}, title="B", author="A"
    )
    with zipfile.ZipFile(io.BytesIO(book)) as old:
        entries: dict[str, str | bytes] = {name: old.read(name) for name in old.namelist()}
    entries["OEBPS/a.png"] = coloured(tmp_path / "a.png", RED).read_bytes()
    path = tmp_path / "a.epub"
    path.write_bytes(archive(entries))
    (document,) = documents(path, scans(known))
    assert f"One.\n\n{MILL}\n\nTwo." in document.text
    assert [one.place for one in document.scans] == ["chapter Mill, picture 1"]


def test_pictures_of_a_page_that_nobody_reads_are_told_in_one_line(
    tmp_path: Path, known: KnownPages
) -> None:
    for name, colour in (("a.png", RED), ("b.png", BLUE)):
        coloured(tmp_path / name, colour)
    page_file = html_page(tmp_path / "a.html", "a.png", "b.png")
    (told,) = [item for item in load(page_file, scans(known, "off")) if isinstance(item, Skipped)]
    assert told.path.endswith("a.html, 2 pictures")


def test_a_forecast_counts_pages_and_reads_none(tmp_path: Path, known: KnownPages) -> None:
    shelf = MemoryShelf()
    documents(coloured(tmp_path / "known.png", RED), scans(known, shelf=shelf))
    coloured(tmp_path / "new.png", BLUE)
    forecast = Scans(pool=OwnProcessPool(known), shelf=shelf, is_forecast=True)
    texts = [one.text for one in documents(tmp_path, forecast)]
    assert forecast.counted == 1 and forecast.seconds() > 0
    assert MILL in texts and PIER not in texts
    assert known.asked == 1
