"""LangChain's own unit tests for chat models."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_tests.unit_tests import ChatModelUnitTests

from hoptrail.eval.oracle.oracle import GoldBook
from hoptrail.eval.oracle.reader import OracleChatModel


@pytest.fixture
def benchmark(benchmark: Any) -> Any:
    """Run once what LangChain's test would time for seconds."""
    benchmark.disabled = True
    return benchmark


class TestOracle(ChatModelUnitTests):
    @property
    def chat_model_class(self) -> type[OracleChatModel]:
        return OracleChatModel

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"book": GoldBook(())}
