"""Scanned pages read by the real models: skewed, turned, in columns, with a table; and asked."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest

from benchmarks.scanned_pages import ScannedSheet, save_sheet, scanned_sheets
from hoptrail import Hoptrail
from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.scans.rapid_recogniser import RapidTextRecogniser
from hoptrail.indexing.loading.scans.scan_worker import picture_of
from hoptrail.indexing.loading.worker_process import ScanPool
from tests.ships import hashing_settings

pytestmark = pytest.mark.slow
pytest.importorskip("rapidocr")

WORD = re.compile(r"\w+")
KINDS = ("skewed", "two columns", "table", "turned", "coarse")


@pytest.fixture(scope="module")
def sheets() -> dict[str, ScannedSheet]:
    return {sheet.kind: sheet for sheet in scanned_sheets(count=10) if sheet.kind in KINDS}


@pytest.fixture(scope="module")
def folder(sheets: dict[str, ScannedSheet], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scans")
    for sheet in sheets.values():
        save_sheet(sheet, folder)
    return folder


@pytest.fixture(scope="module")
def found(folder: Path) -> dict[str, Document]:
    """Give what was read by the names of the pages, each read in processes of their own."""
    documents = [item for item in load_documents([folder]) if isinstance(item, Document)]
    return {document.id.rpartition("/")[2].partition(".")[0]: document for document in documents}


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_read_in_its_order(
    kind: str, sheets: dict[str, ScannedSheet], found: dict[str, Document]
) -> None:
    wanted = WORD.findall(sheets[kind].text)
    told = WORD.findall(found[sheets[kind].name].text)
    assert difflib.SequenceMatcher(None, wanted, told, autojunk=False).ratio() > 0.95


def test_the_row_of_a_table_is_told_with_the_names_of_its_columns(
    sheets: dict[str, ScannedSheet], found: dict[str, Document]
) -> None:
    sheet = sheets["table"]
    assert sheet.text.split("\n\n")[-1] in found[sheet.name].text


def test_boxes_lie_where_the_words_are_seen(sheets: dict[str, ScannedSheet]) -> None:
    """A word that is cut out by its box is read as itself."""
    recogniser = RapidTextRecogniser()
    picture = sheets["turned"].picture
    page = recogniser.recognise(picture)
    upright = picture.rotate(-page.turned, expand=True)
    assert upright.size == (page.width, page.height)
    words = [word for line in page.lines for word in line.words if len(word.text) > 8][:5]
    for word in words:
        left, top, right, bottom = (
            min(word.box[::2]),
            min(word.box[1::2]),
            max(word.box[::2]),
            max(word.box[1::2]),
        )
        cut = upright.crop((left - 40, top - 40, right + 40, bottom + 40))
        again = " ".join(line.text for line in recogniser.recognise(cut).lines)
        assert word.text.strip(".,;")[1:-1] in again


def test_arabic_is_not_taken_for_latin() -> None:
    from PIL import Image, ImageDraw, ImageFont

    try:
        font = ImageFont.truetype("DejaVuSans.ttf", 30)
    except OSError:
        pytest.skip("the font DejaVu Sans is not installed")
    picture = Image.new("RGB", (900, 300), "white")
    for row in range(3):
        text = "مرحبا بالعالم هذا نص عربي طويل"
        ImageDraw.Draw(picture).text((40, 40 + 60 * row), text, fill="black", font=font)
    page = RapidTextRecogniser().recognise(picture)
    assert page.lines == () and page.unread == 3


def test_a_process_that_takes_too_long_is_ended_and_another_one_goes_on(tmp_path: Path) -> None:
    pool = ScanPool(1)
    try:
        killed = pool.submit(lambda ask: ask({"ask": "open", "path": "/dev/zero", "page": None}))
        assert "reason" in killed.result(timeout=120)
        (tmp_path / "a.png").write_bytes(b"no picture")
        again = pool.submit(lambda ask: ask({"ask": "count", "path": str(tmp_path / "a.png")}))
        assert "not a readable picture" in again.result(timeout=120)["reason"]
    finally:
        pool.close()


def test_a_question_is_answered_from_a_scan_with_its_page(
    folder: Path, sheets: dict[str, ScannedSheet], tmp_path: Path
) -> None:
    question = sheets["skewed"].questions[0]
    settings = hashing_settings()
    with Hoptrail.open(
        tmp_path / "kb", settings=settings, create=True, writable=True, preset="offline"
    ) as hoptrail:
        hoptrail.index([folder], extractor="nlp")
        again = hoptrail.index([folder], extractor="nlp")
        assert again["documents"]["unchanged"] == len(sheets)
        answer = hoptrail.ask(question.text)
        assert answer.text == question.answer
        hop = answer.trail.hops[-1]
        assert hop.doc_id is not None and hop.start is not None and hop.end is not None
        (page,) = hoptrail.quoted_pages(hop.doc_id, hop.start, hop.end)
        assert len(page["words"]) == len(str(hop.quote).split())
        picture = hoptrail.page_picture(hop.doc_id, page["number"])
        assert picture is not None
        seen = picture_of(picture)
        assert seen.width / seen.height == pytest.approx(page["width"] / page["height"], rel=0.01)
