"""Describe the subject and entity types of a knowledge graph, for planning a search in it."""

from __future__ import annotations

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel

from hoptrail.core.types import JsonDict
from hoptrail.stores.knowledge_source import KnowledgeSource


class NoArguments(BaseModel):
    """The schema tool takes nothing."""


def make_schema_tool(kb: KnowledgeSource) -> BaseTool:
    """Return the tool `describe_graph`; its artifact has `description` and `entity_types`."""

    def describe() -> tuple[str, JsonDict]:
        types = kb.schema()
        lines = [kb.description, *(f"- {name}: {text}" for name, text in types.items())]
        text = "\n".join(filter(None, lines)) or "The graph is not described."
        return text, {"description": kb.description, "entity_types": types}

    return StructuredTool.from_function(
        describe,
        name="describe_graph",
        description="Tell what the knowledge graph is about and which types of entities it has.",
        args_schema=NoArguments,
        response_format="content_and_artifact",
    )
