"""LangChain's standard tests, on a real knowledge base."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from hoptrail.retrievers.base import Retriever
from hoptrail.retrievers.bm25 import BM25Retriever
from hoptrail.retrievers.ket import KetRetriever
from hoptrail.retrievers.vector import VectorRetriever
from hoptrail.stores.knowledge_base import KnowledgeBase


class OverShips(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _open(self, ships: KnowledgeBase) -> None:
        self.kb = ships

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"kb": self.kb}

    @property
    def retriever_query_example(self) -> str:
        return "Which ships, yards and engineers by the sea does the festival in winter honour?"


class TestVector(OverShips):
    @property
    def retriever_constructor(self) -> type[Retriever]:
        return VectorRetriever


class TestBM25(OverShips):
    @property
    def retriever_constructor(self) -> type[Retriever]:
        return BM25Retriever


class TestKet(OverShips):
    @property
    def retriever_constructor(self) -> type[Retriever]:
        return KetRetriever


del OverShips
