"""The tools over a small knowledge base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from langchain_core.tools import BaseTool

from hoptrail.core.settings import Settings
from hoptrail.core.types import Document
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from hoptrail.tools.registry import make_tools

FACTS = {
    "Morning Tern": "The Morning Tern was a steamer that was built at the Alder Yard in 1871.",
    "Alder Yard": "The Alder Yard was founded by Edda Thorn. The yard stood in Port Selwick.",
    "Edda Thorn": "Edda Thorn was an engineer. She was born in Brackenholm in 1809.",
}


@pytest.fixture(scope="session")
def facts_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("facts")
    documents = [Document(f"t/{title}", title, text, "t") for title, text in FACTS.items()]
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True) as kb:
        Indexer(kb, settings=Settings()).index(documents, IndexOptions(extractor="nlp"))
    return folder


@pytest.fixture
def kb(facts_folder: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(facts_folder, embedder=HashingEmbedder()) as opened:
        yield opened


@pytest.fixture
def tools(kb: KnowledgeBase) -> Mapping[str, BaseTool]:
    return make_tools(kb)
