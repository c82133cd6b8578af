"""LangChain's standard tests on every registered retriever, over a real knowledge base."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.registry import RETRIEVERS
from hoptrail.stores.knowledge_base import KnowledgeBase


class OverShips(RetrieversIntegrationTests):
    name = ""

    @pytest.fixture(autouse=True)
    def _open(self, ships: KnowledgeBase) -> None:
        self.kb = ships

    @property
    def retriever_constructor(self) -> type[Retriever]:
        return RETRIEVERS[self.name]

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"kb": self.kb}

    @property
    def retriever_query_example(self) -> str:
        return "Which ships, yards and engineers by the sea does the festival in winter honour?"


for name in RETRIEVERS:
    class_name = f"Test{name.title().replace('_', '')}"
    globals()[class_name] = type(class_name, (OverShips,), {"name": name})
del OverShips
