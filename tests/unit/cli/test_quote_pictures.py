"""Quotes of scans on the page of an answer."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from hoptrail import Hoptrail
from hoptrail.cli.answer_file import answer_page, quote_pictures
from hoptrail.cli.answer_view import show_answer
from hoptrail.core.types import Answer, Document, Trail, TrailHop
from hoptrail.core.types.scan import ScannedPage, ScannedWord, marked_text
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder
from tests.ships import hashing_settings

TEXT = "The mill was built by Ida Holm."
BOX = (10, 80, 50, 80, 50, 100, 10, 100)


def answer() -> Answer:
    unsure = ((22, 25),)
    hop = TrailHop(
        1, TEXT, support="stated", doc_id="s/mill", start=0, end=31, quote=TEXT, unsure=unsure
    )
    return Answer("Who built the mill?", "Ida Holm", trail=Trail((hop,)))


def scanned_base(folder: Path) -> None:
    words = (ScannedWord(0, 3, BOX, 1.0), ScannedWord(22, 25, BOX, 0.4))
    page = ScannedPage(0, "page 1", "p1", 400, 200, words)
    document = Document("s/mill", "The mill", TEXT, "s", scans=(page,))
    stream = io.BytesIO()
    Image.new("RGB", (400, 200), "white").save(stream, "WEBP")
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True) as kb:
        kb.put_scan("p1", "reader-1", "{}", stream.getvalue())
        kb.put_document(document, chunk_document(document))
        kb.publish()


def test_the_page_of_an_answer_shows_the_quote_on_its_scan(tmp_path: Path) -> None:
    scanned_base(tmp_path / "kb")
    with Hoptrail.open(tmp_path / "kb", settings=hashing_settings()) as hoptrail:
        pictures = quote_pictures(hoptrail, answer())
    page = answer_page(answer(), pictures)
    assert page.count("<polygon") == 2 and page.count('class="word unsure"') == 1
    assert "data:image/webp;base64," in page and "img-src data:" in page
    assert 'viewBox="0 20 400 140"' in page  # three lines above and below the quote


def test_an_answer_from_text_has_no_pictures(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "kb", embedder=HashingEmbedder(), create=True) as kb:
        document = Document("s/mill", "The mill", TEXT, "s")
        kb.put_document(document, chunk_document(document))
        kb.publish()
    with Hoptrail.open(tmp_path / "kb", settings=hashing_settings()) as hoptrail:
        assert quote_pictures(hoptrail, answer()) == {}


def test_a_word_that_may_be_misread_is_marked_in_a_quote(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_answer(answer())
    assert "built by Ida(?) Holm." in " ".join(capsys.readouterr().out.split())


def test_marks_stand_behind_words_of_the_text_alone() -> None:
    assert marked_text("Ida Holm", 22, ((4, 8), (22, 25), (26, 30), (90, 95))) == "Ida(?) Holm(?)"
