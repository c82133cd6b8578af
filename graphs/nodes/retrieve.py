"""Retrieval for the standalone question, and the keywords by which some presets search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from hoptrail.agents.planning.keyword_writer import write_keywords as choose_keywords
from hoptrail.core.types import Evidence
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update, gathered


async def write_keywords(state: State, run: NodeRun) -> Update:
    """Write keywords of both levels; without a model the retriever takes the question's own."""
    levels = await choose_keywords(state["standalone_question"], run.model("decomposer"))
    return {"keywords": {"entities": list(levels.entities), "keywords": list(levels.themes)}}


async def retrieve(state: State, run: NodeRun) -> Update:
    """Fetch evidence for the standalone question with the preset's retriever."""
    if run.retriever is None:
        return {"retrieved": {}, "evidence": {}}
    evidence = await retrieve_for(run, state["standalone_question"], state["keywords"])
    return gathered(evidence)


async def retrieve_for(
    run: NodeRun,
    query: str,
    plan: Mapping[str, Sequence[str]] = MappingProxyType({}),
    *,
    budget: int | None = None,
) -> Evidence:
    """Return what the chosen retriever finds for a query.

    Args:
        run: The node's run.
        query: In natural language.
        plan: Fields of the `Plan` that the retriever is given.
        budget: Most tokens to collect, where that is less than the request allows.

    Raises:
        UnknownNameError: If the context names a retriever that does not exist.
    """
    context, name = run.context, run.retriever or ""
    run.services.require_retriever(name)
    asked = {field: list(values) for field, values in plan.items()}
    return await run.retrieve(
        f"retrieve_{name}",
        question=query,
        k=context.k,
        budget=min(context.budget, budget or context.budget),
        theta=context.theta,
        level=context.level,
        parameters=context.parameters,
        reranker=context.reranker,
        **asked,
    )
