"""Fields beside a document's text, as filters find them."""

from __future__ import annotations

import json
import os
from pathlib import Path

from langchain_core.documents import Document as LangChainDocument

from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import from_langchain, load_documents


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
    assert from_langchain(given).metadata == {"tags": '["a", "b"]', "page": "3"}
