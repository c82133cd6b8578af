"""LangChain's standard tests, on a real knowledge base."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from hoptrail.retrievers.base import Retriever
from hoptrail.retrievers.bm25 import BM25Retriever
from hoptrail.retrievers.dagr import DagrRetriever
from hoptrail.retrievers.dot import DotRetriever
from hoptrail.retrievers.ket import KetRetriever
from hoptrail.retrievers.lightrag import LightRagRetriever
from hoptrail.retrievers.multistage import MultiStageRetriever
from hoptrail.retrievers.pathrag import PathRagRetriever
from hoptrail.retrievers.ppr import PprRetriever
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


class TestPpr(OverShips):
    @property
    def retriever_constructor(self) -> type[Retriever]:
        return PprRetriever


class TestDagr(OverShips):
    @property
    def retriever_constructor(self) -> type[Retriever]:
        return DagrRetriever


class TestDot(OverShips):
    @property
    def retriever_constructor(self) -> type[Retriever]:
        return DotRetriever


class TestLightRag(OverShips):
    @property
    def retriever_constructor(self) -> type[Retriever]:
        return LightRagRetriever


class TestPathRag(OverShips):
    @property
    def retriever_constructor(self) -> type[Retriever]:
        return PathRagRetriever


class TestMultiStage(OverShips):
    @property
    def retriever_constructor(self) -> type[Retriever]:
        return MultiStageRetriever


del OverShips
