"""The tool that asks the graph LLM."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any

from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool
from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from hoptrail.core.background import run_to_end
from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelReplyError
from hoptrail.core.settings import Settings
from hoptrail.core.types import Evidence
from hoptrail.models.chat import DEFAULT_CHOICE, GRAPH_LLM, ChatModels
from hoptrail.models.graph_llm.example import graph_of_evidence
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.tools.retrieval import hydrate

RETRIEVER = "multistage"
"""Retriever of the graph for a question that comes without evidence."""
MAX_REPLY_TOKENS = 96
_ROLE = "answerer"


@dataclass(frozen=True, slots=True)
class GraphReply:
    """The reply of the graph LLM, and the evidence whose relations it saw."""

    text: str
    evidence: Evidence


class GraphQuestionArguments(BaseModel):
    """Arguments of the tool; a model that calls it writes the question alone."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    question: str = Field(description="The question, in natural language, about one fact.")
    references: Annotated[dict[str, list[Any]] | None, InjectedToolArg] = Field(
        None, description="Evidence as ids, by kind; else it is looked for."
    )
    meter: Annotated[SkipJsonSchema[Meter | None], InjectedToolArg] = Field(
        None, description="Account of the call."
    )


def make_graph_llm_tool(kb: KnowledgeSource, settings: Settings) -> BaseTool:
    """Return the tool `ask_graph_llm`; its artifact is a `GraphReply`."""
    models = ChatModels(settings, {DEFAULT_CHOICE: GRAPH_LLM})

    def find(question: str, references: dict[str, list[Any]] | None) -> Evidence:
        if references is None:
            return make_retriever(RETRIEVER, kb).retrieve(question)
        return hydrate(kb, references)

    async def ask(
        question: str,
        references: dict[str, list[Any]] | None = None,
        meter: Meter | None = None,
    ) -> tuple[str, GraphReply]:
        evidence = await asyncio.to_thread(find, question, references)
        prompt = HumanMessage(
            question, additional_kwargs={"hoptrail": {"role": _ROLE, "question": question}}
        )
        try:
            text = await models.for_role(_ROLE).reply(
                [prompt],
                meter=meter or Meter("ask_graph_llm"),
                temperature=0.0,
                max_tokens=MAX_REPLY_TOKENS,
                graph=graph_of_evidence(evidence),
            )
        except ModelReplyError:
            text = ""
        return text.strip() or "The graph LLM gives no answer.", GraphReply(text.strip(), evidence)

    def ask_and_wait(**arguments: Any) -> tuple[str, GraphReply]:
        return run_to_end(ask(**arguments))

    return StructuredTool.from_function(
        ask_and_wait,
        ask,
        name="ask_graph_llm",
        description="Ask the language model that reads the knowledge graph around a question.",
        args_schema=GraphQuestionArguments,
        response_format="content_and_artifact",
    )
