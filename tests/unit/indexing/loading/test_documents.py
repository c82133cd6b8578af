from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from langchain_core.documents import Document as LangChainDocument

from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import Source, load_documents
from hoptrail.indexing.loading.files import Skipped
from hoptrail.indexing.loading.readers.raw_bytes import MAX_FILE_BYTES
from hoptrail.stores.knowledge_base import KnowledgeBase


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(*inputs: Source, source: str | None = None, stdin: bytes = b"") -> list[object]:
    return list(load_documents(inputs, source=source, stdin=io.BytesIO(stdin)))


def documents(*inputs: Source, source: str | None = None, stdin: bytes = b"") -> list[Document]:
    return [
        item for item in load(*inputs, source=source, stdin=stdin) if isinstance(item, Document)
    ]


def skipped(*inputs: Source, stdin: bytes = b"") -> list[Skipped]:
    return [item for item in load(*inputs, stdin=stdin) if isinstance(item, Skipped)]


def test_corpus_ids_begin_with_the_file_stem_or_the_given_source(in_folder: Path) -> None:
    (in_folder / "wiki.jsonl").write_text('{"id": 7, "title": "Oslo", "text": "A city."}\n')
    (by_stem,) = documents("wiki.jsonl")
    (by_source,) = documents("wiki.jsonl", source="mine")
    assert (by_stem.id, by_stem.source, by_stem.title) == ("wiki/7", "wiki", "Oslo")
    assert by_source.id == "mine/7"


def test_malformed_corpus_lines_are_named_and_the_rest_is_used(in_folder: Path) -> None:
    lines = [
        '{"id": 1, "text": "good"}',
        '{"id": 2, "text": ',
        '["not an object"]',
        '{"text": "no id"}',
        '{"id": 3, "text": "   "}',
        "",
        '{"id": 4, "text": "good too"}',
    ]
    (in_folder / "c.jsonl").write_text("\n".join(lines))
    assert [doc.id for doc in documents("c.jsonl")] == ["c/1", "c/4"]
    assert [item.path for item in skipped("c.jsonl")] == [f"c.jsonl:{n}" for n in (2, 3, 4, 5)]


def test_a_folder_gives_relative_paths_in_sorted_order_without_hidden_files(
    in_folder: Path,
) -> None:
    (in_folder / "notes/sub").mkdir(parents=True)
    for name in ("b.md", "a.txt", "sub/c.txt", ".hidden.txt"):
        (in_folder / "notes" / name).write_text("Some text.")
    assert [doc.id for doc in documents("notes")] == [
        "notes/a.txt",
        "notes/b.md",
        "notes/sub/c.txt",
    ]
    assert documents("notes/b.md")[0].id == "notes/b.md"


def test_a_knowledge_base_in_the_folder_is_no_document(in_folder: Path) -> None:
    KnowledgeBase.open(in_folder / "kb", create=True).close()
    (in_folder / "a.txt").write_text("Some text.")

    assert [doc.id for doc in documents(".")] == [f"{in_folder.name}/a.txt"]
    assert skipped(".") == []


def test_a_folder_elsewhere_gives_ids_below_its_own_name(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (in_folder / "notes").mkdir()
    (in_folder / "notes/a.txt").write_text("Some text.")
    (in_folder / "other").mkdir()
    monkeypatch.chdir(in_folder / "other")
    assert documents(in_folder / "notes")[0].id == "notes/a.txt"


def test_unusable_files_are_skipped_by_name_and_reason(in_folder: Path) -> None:
    (in_folder / "empty.txt").touch()
    (in_folder / "blank.txt").write_text(" \n ")
    (in_folder / "binary.txt").write_bytes(b"\x00\x01\x02" * 100)
    (in_folder / "broken.txt").write_bytes(b"\xff\xfe" + b"\x00\xd8" * 9)
    (in_folder / "broken.pdf").write_bytes(b"%PDF-1.4 nonsense")
    os.mkfifo(in_folder / "pipe.txt")
    names = ("missing.txt", "empty.txt", "blank.txt", "binary.txt", "broken.txt", "pipe.txt")
    reasons = {item.path: item.reason for item in skipped(*names, "broken.pdf")}
    assert {name: reasons[name] for name in names} == {
        "missing.txt": "no such file",
        "empty.txt": "empty file",
        "blank.txt": "holds no text",
        "binary.txt": "binary file",
        "broken.txt": "broken text: illegal UTF-16 surrogate at byte 2",
        "pipe.txt": "not a regular file",
    }
    assert reasons["broken.pdf"].startswith("not a readable PDF")


def test_an_address_of_an_unknown_kind_is_no_missing_file(in_folder: Path) -> None:
    reason = "what begins with nosuch:// cannot be read"
    assert list(load_documents(["nosuch://x/y"])) == [Skipped("nosuch://x/y", reason)]


def test_a_file_over_the_limit_is_skipped_without_being_read(in_folder: Path) -> None:
    with (in_folder / "huge.txt").open("wb") as stream:
        stream.truncate(2 * MAX_FILE_BYTES)
    (item,) = skipped("huge.txt")
    assert "210 MB" in item.reason


def test_titles_come_from_headings_short_first_lines_or_the_name(in_folder: Path) -> None:
    (in_folder / "a.md").write_text("intro\n\n# The Heading #\n\nText.")
    (in_folder / "b.txt").write_text("Ada Lovelace\n\nShe wrote programs.")
    (in_folder / "grace_hopper.txt").write_text("She wrote compilers. She was an admiral.")
    titles = [doc.title for doc in documents("a.md", "b.txt", "grace_hopper.txt")]
    assert titles == ["The Heading", "Ada Lovelace", "grace hopper"]


def test_html_gives_its_title_and_visible_text(in_folder: Path) -> None:
    (in_folder / "page.html").write_text(
        "<html><head><title>Rivers</title><style>p {}</style></head>"
        "<body><h1>Rivers</h1><p>The Seine flows.</p><script>var x</script></body></html>"
    )
    (page,) = documents("page.html")
    assert page.title == "Rivers"
    assert "The Seine flows." in page.text
    assert "var x" not in page.text


def test_pdf_gives_its_text(in_folder: Path) -> None:
    (in_folder / "paper.pdf").write_bytes(_pdf("Multi-hop questions"))
    (paper,) = documents("paper.pdf")
    assert paper.text.strip() == "Multi-hop questions"


def test_utf16_with_a_mark_and_utf8_with_one_are_read(in_folder: Path) -> None:
    (in_folder / "a.txt").write_text("Zürich is a city.", encoding="utf-16")
    (in_folder / "b.txt").write_text("Zürich is a city.", encoding="utf-8-sig")
    assert [doc.text for doc in documents("a.txt", "b.txt")] == ["Zürich is a city."] * 2


def test_standard_input_is_a_text_or_a_corpus() -> None:
    (text,) = documents("-", stdin=b"A plain text about nothing.")
    rows = b'{"id": "x", "text": "one"}\n{"id": "y", "text": "two"}\n'
    assert text.id == "stdin"
    assert [doc.id for doc in documents("-", stdin=rows, source="s")] == ["s/x", "s/y"]
    assert [item.path for item in skipped("-", stdin=b"")] == ["-"]


def test_a_second_document_of_one_id_is_skipped(in_folder: Path) -> None:
    (in_folder / "c.jsonl").write_text('{"id": 1, "text": "a"}\n{"id": 1, "text": "b"}\n')
    assert [doc.text for doc in documents("c.jsonl")] == ["a"]
    assert [item.path for item in skipped("c.jsonl")] == ["c/1"]


def test_langchain_documents_keep_source_and_title() -> None:
    given = LangChainDocument(page_content="Text.", metadata={"source": "a/b", "title": "T"})
    (document,) = documents(given)
    assert (document.id, document.title, document.text) == ("langchain/a/b", "T", "Text.")


def test_pages_of_one_file_are_documents_of_their_own() -> None:
    pages = [
        LangChainDocument(page_content=text, metadata={"source": "a/b.pdf", "page": number})
        for number, text in enumerate(("One.", "Two."))
    ]
    read = documents(*pages)
    assert [one.id for one in read] == ["langchain/a/b.pdf#page=0", "langchain/a/b.pdf#page=1"]
    assert [one.place(0, 1) for one in read] == ["page 1", "page 2"]


def test_parts_that_nothing_tells_apart_are_told_apart_by_their_text() -> None:
    parts = [LangChainDocument(page_content=text, metadata={"source": "a"}) for text in "xy"]
    read = documents(*parts)
    assert [one.text for one in read] == ["x", "y"]
    assert read[0].id == "langchain/a"
    assert read[1].id.startswith("langchain/a~")


def test_half_a_surrogate_pair_is_replaced(in_folder: Path) -> None:
    row = {"id": "1", "text": "bad \ud800 text"}
    (in_folder / "c.jsonl").write_text(json.dumps(row))
    (document,) = documents("c.jsonl")
    assert document.text == "bad ? text"


def _pdf(text: str) -> bytes:
    """Return a minimal one-page PDF file."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 6\n0000000000 65535 f \n" + table
    tail = b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(body)
    return body + head + tail
