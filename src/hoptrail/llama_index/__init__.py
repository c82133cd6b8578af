"""Hoptrail in LlamaIndex: a retriever, a query engine and tools (the extra `llama-index`)."""

from hoptrail.core.optional import require

require("llama_index.core", extra="llama-index", purpose="hoptrail.llama_index")

from hoptrail.llama_index.query_engine import HoptrailQueryEngine  # noqa: E402
from hoptrail.llama_index.retriever import HoptrailRetriever  # noqa: E402
from hoptrail.llama_index.tools import hoptrail_tools  # noqa: E402

__all__ = ["HoptrailQueryEngine", "HoptrailRetriever", "hoptrail_tools"]
