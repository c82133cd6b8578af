"""Files, rows and standard input that hold conversations become documents in their form."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents

CHAT = "12/31/20, 9:41 PM - Ann Thale: Happy new year\n1/1/21, 12:03 AM - Bo: Thanks!\n"
FORM = (
    "2020-12-31 21:41, Thursday\nAnn Thale: Happy new year\n\n2021-01-01 00:03, Friday\nBo: Thanks!"
)
TITLE = "Ann Thale and Bo, 2020-12-31 to 2021-01-01"


def loaded(*inputs: str | Path, stdin: bytes = b"") -> tuple[str, str]:
    (document,) = load_documents(inputs, stdin=BytesIO(stdin))
    assert isinstance(document, Document)
    return document.title, document.text


def test_a_text_file(tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat with Ann.txt"
    path.write_text(CHAT, encoding="utf-8")
    assert loaded(path) == (TITLE, FORM)


def test_standard_input() -> None:
    assert loaded("-", stdin=CHAT.encode()) == (TITLE, FORM)


def test_a_row_of_a_corpus_keeps_a_title_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    path.write_text(json.dumps({"id": "1", "title": "New year", "text": CHAT}), encoding="utf-8")
    assert loaded(path) == ("New year", FORM)


def test_an_export_in_json(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    told = [
        ("2020-12-31T21:41:00", "Ann Thale", "Happy new year"),
        ("2021-01-01T00:03:00", "Bo", "Thanks!"),
    ]
    lines = [{"date": date, "from": name, "text": text} for date, name, text in told]
    path.write_text(json.dumps({"name": "Friends", "messages": lines}), encoding="utf-8")
    assert loaded(path) == (f"Friends, {TITLE}", FORM)
