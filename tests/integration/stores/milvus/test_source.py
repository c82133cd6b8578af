"""The contract of sources over a folder whose vectors Milvus searches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.publication import bring_in_step
from hoptrail.stores.registry import open_vector_store
from hoptrail.stores.served_vectors.folder_source import FolderSource
from hoptrail.testing.contracts import KnowledgeSourceContract

pytestmark = pytest.mark.slow


class TestFolderSource(KnowledgeSourceContract):
    @pytest.fixture(autouse=True)
    def _server(self, milvus: str, name: str) -> None:
        self.address = milvus
        self.name = name

    def publish(self, kb: KnowledgeBase) -> None:
        store = open_vector_store(self.address, self.name)
        bring_in_step(kb, store)
        store.close()

    @contextmanager
    def serving(self, kb: KnowledgeBase) -> Iterator[FolderSource]:
        source = FolderSource(
            kb, partial(open_vector_store, self.address, self.name), self.address
        )
        yield source
        source.close()
