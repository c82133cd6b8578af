"""An answer saved as a drawing or as a page."""

from __future__ import annotations

import io
import webbrowser
from html.parser import HTMLParser
from pathlib import Path
from urllib.request import url2pathname

import pytest
from PIL import Image

from hoptrail import Hoptrail
from hoptrail.cli.answer_file import (
    answer_page,
    open_answer,
    quote_pictures,
    require_answer_file,
    save_answer,
)
from hoptrail.cli.answer_view import show_answer
from hoptrail.core.errors import HoptrailError, InputError, SettingsError
from hoptrail.core.types import Answer, AnswerCandidate, Document, NearestPassage, Trail, TrailHop
from hoptrail.core.types.document import ScannedPage, ScannedWord, marked_text
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder
from tests.ships import hashing_settings

HOP = TrailHop(
    1,
    "Ann founded Oak Mill",
    "Ann",
    "founded",
    "Oak Mill",
    support="stated",
    doc_id="notes/mill.md",
    start=0,
    end=20,
    quote="Ann founded Oak Mill.",
)
ANSWER = Answer("Who?", "Ann", answers=(AnswerCandidate("Ann"),), trail=Trail((HOP,)))
NEAREST = (NearestPassage("notes/b.md", "c", "B", 0, 9, "Bob came.", 0.5, "page 2"),)


class Elements(HTMLParser):
    """The names of all elements and of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def test_an_svg_holds_the_trail_with_the_answer_marked(tmp_path: Path) -> None:
    save_answer(ANSWER, tmp_path / "trail.SVG")

    text = (tmp_path / "trail.SVG").read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert ">answer</text>" in text


def test_a_page_holds_the_answer_its_drawing_and_its_quotes(tmp_path: Path) -> None:
    save_answer(ANSWER, tmp_path / "answer.html")

    page = (tmp_path / "answer.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "Ann founded Oak Mill." in page
    assert "notes/mill.md [0:20]" in page


def test_a_page_shows_the_nearest_passages_under_an_abstention_alone() -> None:
    abstained = Answer("Who?", "I don't know.", abstained=True, nearest=NEAREST)

    assert "Bob came." in answer_page(abstained)
    assert "notes/b.md, page 2 [0:9]" in answer_page(abstained)
    assert "Bob came." not in answer_page(Answer("Who?", "Ann", nearest=NEAREST))


def test_nothing_of_a_document_becomes_an_element_of_the_page() -> None:
    text = "</style></title><script>alert(1)</script><img src=x onerror=alert(1)>"
    hop = TrailHop(1, text, text, text, text, quote=text, doc_id=text, start=0, end=1)
    hostile = Answer(text, text, trail=Trail((hop,)), degraded=(text,), perhaps=True)

    harmless, page = Elements(answer_page(ANSWER)), Elements(answer_page(hostile))

    assert page.tags - harmless.tags <= {"p", "blockquote", "span"}
    assert not any(name.startswith("on") for name in page.attributes)


def test_a_name_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"end the name in \.svg"):
        require_answer_file(tmp_path / "trail.png")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        require_answer_file(tmp_path / "missing" / "trail.svg")


def test_a_file_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "trail.svg").mkdir()

    with pytest.raises(HoptrailError, match="cannot be written"):
        save_answer(ANSWER, tmp_path / "trail.svg")


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_open_shows_a_page_that_others_cannot_read(
    monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    opened: list[str] = []

    def remember(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", remember)

    open_answer(ANSWER)

    path = Path(url2pathname(opened[0].removeprefix("file://")))
    assert "<svg" in path.read_text(encoding="utf-8")
    assert path.parent.stat().st_mode & 0o077 == 0
    assert cache in path.parents


def test_without_a_browser_no_file_stays_and_another_way_is_told(
    monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda url: False)

    with pytest.raises(SettingsError, match=r"--save answer\.html"):
        open_answer(ANSWER)
    assert not list(cache.rglob("*.html"))


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
