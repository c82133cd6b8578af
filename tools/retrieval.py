"""One tool per retriever, with the reranker that a call or the settings choose."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from hoptrail.core.budget import current_meter
from hoptrail.core.embedding import RemoteEmbedder
from hoptrail.core.errors import HoptrailError, ModelReplyError, ModelUnavailableError
from hoptrail.core.render import render
from hoptrail.core.settings import Settings
from hoptrail.core.types import Evidence, Plan
from hoptrail.models.reranker import chosen_reranker, load_reranker
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.stores.knowledge_source import KnowledgeSource

_SHOWN_TOKENS = 2_000
"""Most tokens that a model is shown; the whole Evidence is the artifact."""
_WITHOUT_VECTORS = "bm25"
_LOSS = "the embedder gave no vector of the question: passages were found by their words alone"
RERANKER: Any = Field(
    None,
    description="Model that orders the passages anew; by default that of the settings, `none` for "
    "none.",
)
"""The argument of a tool that finds passages."""


class RetrievalArguments(BaseModel):
    """Arguments of a retrieval tool."""

    question: str = Field(description="What to look for, in natural language.")
    k: int = Field(10, ge=1, le=1000, description="Passages of the ranked list.")
    budget: int = Field(12_000, ge=50, description="Tokens of evidence to collect.")
    entities: list[str] = Field(
        default_factory=list, description="Names to start from, beside those in the question."
    )
    keywords: list[str] = Field(default_factory=list, description="Further themes to look for.")
    sub_questions: list[str] = Field(
        default_factory=list, description="Steps towards the answer, in order, for dagr."
    )
    theta: float | None = Field(
        None, ge=0, le=1, description="The entity channel's share of the budget, for ket."
    )
    level: int | None = Field(
        None, ge=0, description="Level of community reports, 0 is the coarsest, for community."
    )
    parameters: dict[str, bool | int | float | str] = Field(
        default_factory=dict, description="Further parameters of this retriever by name."
    )
    reranker: str | None = RERANKER


def make_retrieval_tool(
    name: str, kb: KnowledgeSource, settings: Settings | None = None
) -> BaseTool:
    """Return the tool `retrieve_<name>`; its artifact is the Evidence.

    Args:
        name: Of the retriever.
        kb: What it reads.
        settings: Their reranker orders the passages, unless a call names another that they list.
    """
    retriever_class = RETRIEVERS[name]

    def retrieve(
        question: str,
        k: int,
        budget: int,
        entities: list[str],
        keywords: list[str],
        sub_questions: list[str],
        theta: float | None,
        level: int | None,
        parameters: dict[str, bool | int | float | str],
        reranker: str | None,
    ) -> tuple[str, Evidence]:
        order = order_fields(reranker, settings)
        chosen: dict[str, Any] = {"k": k, "budget": budget, **order, **parameters}
        for field, value in (("theta", theta), ("level", level)):
            if value is not None and field in retriever_class.model_fields:
                chosen.setdefault(field, value)
        retriever = make_retriever(name, kb, **chosen)
        plan = Plan(tuple(sub_questions), tuple(entities), tuple(keywords))
        told = ""
        try:
            evidence = retriever.retrieve(question, plan)
        except (ModelUnavailableError, ModelReplyError) as error:
            if not isinstance(kb.embedder, RemoteEmbedder):
                raise
            told = _note_loss(error)
            by_words = make_retriever(_WITHOUT_VECTORS, kb, k=k, budget=budget, **order)
            evidence = by_words.retrieve(question)
        return told + (render(evidence, _SHOWN_TOKENS).text or "Nothing was found."), evidence

    return StructuredTool.from_function(
        retrieve,
        name=f"retrieve_{name}",
        description=_first_line(retriever_class.__doc__),
        args_schema=RetrievalArguments,
        response_format="content_and_artifact",
    )


def _note_loss(error: HoptrailError) -> str:
    """Note in the account of the run, if any, that vectors were lacking, and return the line."""
    meter = current_meter()
    if meter is not None:
        meter.degraded = True
        meter.note(f"{_LOSS} ({error.message})")
    return f"{_LOSS}.\n"


def _first_line(docstring: str | None) -> str:
    return (docstring or "").strip().partition("\n")[0]


def order_fields(name: str | None, settings: Settings | None) -> dict[str, Any]:
    """Return the fields of a retriever that say how its passages are ordered.

    Args:
        name: As a call gives it.
        settings: Of the knowledge base; None where it has none, and so no reranker.

    Raises:
        SettingsError: If the name is not listed, or no reranker is found under it.
        ModelKeyError: If its key is missing.
    """
    chosen = None if settings is None else chosen_reranker(name, settings)
    if settings is None or chosen is None:
        return {}
    return {
        "reranker": load_reranker(chosen, settings),
        "reranked": settings.reranker_candidates,
    }
