from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hoptrail.core.types import Document
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder

ARTICLES = {
    "ada": ("Ada Lovelace", "Ada Lovelace was born in London. She worked with Charles Babbage."),
    "babbage": (
        "Charles Babbage",
        "Charles Babbage lived in London. He built the Difference Engine.",
    ),
    "london": ("London", "London is the capital of England. The River Thames crosses London."),
    "thames": ("River Thames", "The River Thames is 346 km long. It reaches the North Sea."),
    "who": ("Geneva", "The World Health Organization (WHO) sits in Geneva. The WHO met in 1948."),
    "un": ("New York City", "In 1948 the WHO had an office in New York City, near Times Square."),
}

OpenKb = Callable[[str], KnowledgeBase]


@pytest.fixture
def open_kb(tmp_path: Path) -> Iterator[OpenKb]:
    opened: list[KnowledgeBase] = []

    def open_(name: str) -> KnowledgeBase:
        kb = KnowledgeBase.open(tmp_path / name, embedder=HashingEmbedder(), create=True)
        opened.append(kb)
        return kb

    yield open_
    for kb in opened:
        kb.close()


@pytest.fixture
def kb(open_kb: OpenKb) -> KnowledgeBase:
    return open_kb("kb")


@pytest.fixture
def articles() -> dict[str, Document]:
    return {
        name: Document(f"wiki/{name}", title, text, "wiki")
        for name, (title, text) in ARTICLES.items()
    }


@pytest.fixture
def exported() -> Callable[[KnowledgeBase], str]:
    def export(kb: KnowledgeBase) -> str:
        stream = io.StringIO()
        kb.export(stream, "jsonl")
        return stream.getvalue()

    return export
