from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hoptrail.core.types import Chunk, Document
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder
from tests.passages import passage


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kb"


@pytest.fixture
def kb(folder: Path, embedder: HashingEmbedder) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(folder, embedder=embedder, create=True) as opened:
        yield opened


@pytest.fixture
def put(kb: KnowledgeBase) -> Callable[[str, str, str], Chunk]:
    """Put a document of one chunk."""

    def put_passage(doc_id: str, title: str, text: str) -> Chunk:
        chunk = passage(doc_id, title, text)
        kb.put_document(Document(doc_id, title, text, source=doc_id.split("/")[0]), [chunk])
        return chunk

    return put_passage


@pytest.fixture
def publish(kb: KnowledgeBase, embedder: HashingEmbedder) -> Callable[[], int]:
    """Embed what is not embedded yet and publish."""

    def embed_and_publish() -> int:
        texts = kb.texts_without_vectors()
        if texts:
            kb.put_embeddings(texts, embedder.embed(texts))
        return kb.publish()

    return embed_and_publish
