"""All tools over one knowledge base."""

from __future__ import annotations

from langchain_core.tools import BaseTool

from hoptrail.core.settings import Settings
from hoptrail.models.chat import has_graph_llm
from hoptrail.retrievers.registry import RETRIEVERS
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.tools.cypher import make_query_tools
from hoptrail.tools.dotrag import make_path_tools
from hoptrail.tools.graph_llm import make_graph_llm_tool
from hoptrail.tools.graphrag import make_community_tools
from hoptrail.tools.lookup import make_entity_finder, make_passage_reader, make_schema_tool
from hoptrail.tools.retrieval import make_compression_tool, make_hydration_tool, make_retrieval_tool
from hoptrail.tools.tables import make_table_query, make_table_reader


def make_tools(kb: KnowledgeSource, settings: Settings | None = None) -> dict[str, BaseTool]:
    """Return the tools by name: one per retriever, compression, hydration, look-ups and reports.

    A base on a server that takes queries has tools for these too. The knowledge base is bound to
    them; no argument of a call can name another one.

    Args:
        kb: What they read.
        settings: Where they name a graph LLM, there is a tool that asks it. Their reranker orders
            the passages of all retrievers.
    """
    tools = [make_retrieval_tool(name, kb, settings) for name in RETRIEVERS.quietly()]
    tools += [
        make_compression_tool(kb),
        make_hydration_tool(kb),
        make_entity_finder(kb),
        make_passage_reader(kb),
        make_schema_tool(kb),
        make_table_reader(kb),
        make_table_query(kb),
        *make_path_tools(kb, settings),
        *make_community_tools(kb),
    ]
    if (queries := getattr(kb, "queries", None)) is not None:
        tools += make_query_tools(kb, queries)
    if settings is not None and has_graph_llm(settings):
        tools.append(make_graph_llm_tool(kb, settings))
    return {tool.name: tool for tool in tools}
