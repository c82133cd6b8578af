"""A quote of a scan in a real browser: the picture of the page, the words of the quote framed."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from hoptrail import Hoptrail
from hoptrail.core.types import Document
from hoptrail.core.types.document import ScannedPage, ScannedWord
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder
from tests.page import real_browser, visiting
from tests.ships import hashing_settings
from tests.web_server import WebServer, web_server

pytestmark = pytest.mark.slow

TEXT = "The mill was built by Ida Holm."


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a base with one scanned page, 400 x 200 pixels, its words beside each other."""
    folder = tmp_path_factory.mktemp("kb")
    words, at = [], 0
    for number, word in enumerate(TEXT.split()):
        start = TEXT.index(word, at)
        at = start + len(word)
        left = 10 + 50 * number
        box = (left, 80, left + 40, 80, left + 40, 100, left, 100)
        words.append(ScannedWord(start, at, box, 0.4 if word == "Ida" else 1.0))
    page = ScannedPage(0, "page 1", "p1", 400, 200, tuple(words))
    document = Document("s/mill.png", "The mill", TEXT, "s", scans=(page,), places=((0, "page 1"),))
    stream = io.BytesIO()
    Image.new("RGB", (400, 200), "white").save(stream, "WEBP")
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True) as kb:
        kb.put_scan("p1", "reader-1", "{}", stream.getvalue())
        kb.put_document(document, chunk_document(document))
    with Hoptrail.open(folder, settings=hashing_settings(), writable=True) as hoptrail:
        hoptrail.index(extractor="nlp")
    return folder


@pytest.fixture(scope="module")
def server(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with web_server(tmp_path_factory.mktemp("web"), {"mills": base}) as running:
        yield running


def test_the_picture_of_a_page_is_sent_with_the_boxes_of_a_quote(server: WebServer) -> None:
    client = server.client()
    shown = client.get("/bases/mills/document", params={"id": "s/mill.png", "start": 22, "end": 30})
    (page,) = shown.json()["pages"]
    assert [TEXT[word["start"] : word["end"]] for word in page["words"]] == ["Ida", "Holm."]
    assert shown.json()["unsure"] == [[22, 25]]
    picture = client.get("/bases/mills/picture", params={"id": "s/mill.png", "number": 0})
    assert picture.headers["content-type"] == "image/webp"
    for id_, number in (("s/mill.png", "4"), ("s/no", "0")):
        wanted = {"id": id_, "number": number}
        assert client.get("/bases/mills/picture", params=wanted).status_code == 404


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_a_quote_opens_on_its_page_with_its_words_framed(server: WebServer, size: str) -> None:
    with real_browser() as browser, visiting(browser, server.url, size) as visit:
        visit.go("#/document?kb=mills&id=s%2Fmill.png&start=9&end=30")
        visit.page.locator(".scan-page.shown canvas").wait_for()
        frames = visit.page.locator(".scan-page polygon")
        assert frames.count() == 5  # was built by Ida Holm.
        assert visit.page.locator(".scan-page polygon.unsure").count() == 1
        page, frame = (
            visit.page.locator(".scan-page").bounding_box(),
            visit.page.locator(".scan-page polygon.unsure").bounding_box(),
        )
        assert page is not None and frame is not None
        # The fifth word begins at 260 of 400 pixels.
        assert (frame["x"] - page["x"]) / page["width"] == pytest.approx(0.65, abs=0.02)
        assert (frame["y"] - page["y"]) / page["height"] == pytest.approx(0.4, abs=0.03)
        assert visit.page.locator(".document-text .unsure").inner_text() == "Ida"


def test_an_answer_marks_the_word_that_may_be_misread(server: WebServer) -> None:
    with real_browser() as browser, visiting(browser, server.url) as visit:
        visit.go()
        visit.ask("Who built the mill?")
        assert visit.answer == "Ida Holm"
        quote = visit.page.locator(".step .quote").first
        assert quote.locator(".unsure").inner_text() == "Ida"
        assert "cannot be read for certain" in visit.page.locator(".turn").last.inner_text()
        quote.click()
        visit.page.locator("#source .scan-page.shown canvas").wait_for()
