from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail.core.types import Chunk, Document
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder

ARTICLES = {
    "Ada": "Ada wrote the first program.",
    "Paris": "Paris lies on the river Seine.",
    "Seine": "The Seine flows into the Channel.",
    "Rome": "Rome lies on the river Tiber.",
    "Tiber": "The Tiber flows into the sea at Ostia.",
}


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    embedder = HashingEmbedder()
    with KnowledgeBase.open(tmp_path / "kb", embedder=embedder, create=True) as base:
        for number, (title, text) in enumerate(ARTICLES.items()):
            document = Document(f"wiki/{number}", title, text, "wiki")
            chunk_id = Chunk.make_id(document.id, 0, len(text), text)
            chunk = Chunk(chunk_id, document.id, title, text, 0, len(text), len(text.split()))
            base.put_document(document, [chunk])
        texts = base.texts_without_vectors()
        base.put_embeddings(texts, embedder.embed(texts))
        base.publish()
        yield base
