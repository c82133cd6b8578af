"""The tool that cuts evidence down to what a graph walk from the question reaches."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from hoptrail.core.types import Evidence
from hoptrail.retrievers.graph_walk_compressor import GraphWalkCompressor
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.tools.hydration import hydrate


class CompressionArguments(BaseModel):
    """Arguments of the compression tool."""

    question: str = Field(description="The question that the evidence is for.")
    references: dict[str, list[Any]] = Field(description="Evidence as ids, by kind.")
    budget: int = Field(4_000, ge=50, description="Tokens that may be left.")
    hops: int = Field(3, ge=1, le=6, description="Reach of the walk.")
    graph_share: float = Field(
        0.1, ge=0, le=1, description="Share of the budget for entities and relations."
    )


def make_compression_tool(kb: KnowledgeSource) -> BaseTool:
    """Return the tool `compress_evidence`; its artifact is the Evidence that is left."""

    def compress(
        question: str,
        references: dict[str, list[Any]],
        budget: int,
        hops: int,
        graph_share: float,
    ) -> tuple[str, Evidence]:
        evidence = hydrate(kb, references)
        compressor = GraphWalkCompressor(hops=hops, budget=budget, graph_share=graph_share)
        kept = compressor.compress(question, evidence)
        summary = f"Kept {len(kept.chunks)} of {len(evidence.chunks)} passages."
        return summary, kept

    return StructuredTool.from_function(
        compress,
        name="compress_evidence",
        description="Keep the part of the evidence near the question's entities.",
        args_schema=CompressionArguments,
        response_format="content_and_artifact",
    )
