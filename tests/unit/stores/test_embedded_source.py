from __future__ import annotations

from contextlib import AbstractContextManager

from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.contracts import KnowledgeSourceContract


class TestAFolder(KnowledgeSourceContract):
    """Another process that reads the folder."""

    def serving(self, kb: KnowledgeBase) -> AbstractContextManager[KnowledgeSource]:
        return KnowledgeBase.open(kb.path, embedder=HashingEmbedder())
