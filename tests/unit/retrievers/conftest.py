"""Small knowledge bases: text with a graph, text alone, a bare graph, and nothing at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail.core.settings import Settings
from hoptrail.core.types import Document
from hoptrail.indexing.options import ExtractorName, IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder

TEXTS = {
    "Morning Tern": "The Morning Tern was a steamer that was built at the Alder Yard in 1871.",
    "Alder Yard": "The Alder Yard was founded by Edda Thorn. The yard stood in Port Selwick.",
    "Edda Thorn": "Edda Thorn was an engineer. She was born in Brackenholm in 1809.",
    "Brackenholm": "Brackenholm is a market town on the River Ulm. It has a stone bridge.",
    "Steamer": "A steamer is a ship that a steam engine drives. Paddle wheels came first.",
    "Quay bread": "Quay bread is a loaf of rye and caraway. Sailors took it to sea.",
    "Lantern Week": "Lantern Week is a festival in winter. Children carry lights to the sea.",
    "Höfn Museum": "The Höfn Museum keeps models of ships. It opened in 1950.",
    "北港": "北港是一座港口城市。橋由林海設計。",
}
TRIPLES = """Morning Tern|built at|Alder Yard
Alder Yard|founded by|Edda Thorn
Edda Thorn|born in|Brackenholm
Quay bread|made of|rye
"""


def build(
    folder: Path,
    texts: dict[str, str],
    extractor: ExtractorName = "nlp",
    triples: tuple[Path, ...] = (),
) -> Path:
    documents = [Document(f"t/{title}", title, text, "t") for title, text in texts.items()]
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True) as kb:
        if documents or triples:
            options = IndexOptions(extractor=extractor, triples=triples)
            Indexer(kb, settings=Settings()).index(documents, options)
    return folder


@pytest.fixture(scope="session")
def ships_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("ships"), TEXTS)


@pytest.fixture
def ships(ships_folder: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(ships_folder, embedder=HashingEmbedder()) as kb:
        yield kb


@pytest.fixture(scope="session")
def text_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("text"), TEXTS, "none")


@pytest.fixture
def text_alone(text_folder: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(text_folder, embedder=HashingEmbedder()) as kb:
        yield kb


@pytest.fixture(scope="session")
def graph_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graph")
    (folder / "facts.txt").write_text(TRIPLES)
    return build(folder / "kb", {}, "none", (folder / "facts.txt",))


@pytest.fixture
def bare_graph(graph_folder: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(graph_folder, embedder=HashingEmbedder()) as kb:
        yield kb


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(build(tmp_path / "kb", {}), embedder=HashingEmbedder()) as kb:
        yield kb
