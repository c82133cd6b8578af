"""Retrieval nodes: the first one, and the targeted one for what a trace left open."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.core.errors import UnknownNameError
from hoptrail.core.types import Evidence
from hoptrail.graphs.state import State, Update
from hoptrail.graphs.step import Step


async def retrieve(state: State, step: Step) -> Update:
    """Fetch evidence for the standalone question with the preset's retriever."""
    if step.retriever is None:
        return {"retrieved": {}, "evidence": {}}
    evidence = await retrieve_for(step, state["standalone_question"], **state["keywords"])
    references = evidence.references()
    return {"retrieved": references, "evidence": references}


async def retrieve_for(step: Step, query: str, **plan: Sequence[str]) -> Evidence:
    """Return what the chosen retriever finds for a query.

    Args:
        step: The node's run.
        query: In natural language.
        **plan: Fields of the `Plan` that the retriever is given.

    Raises:
        UnknownNameError: If the context names a retriever that does not exist.
    """
    context, name = step.context, step.retriever or ""
    if name not in step.services.retrievers:
        raise UnknownNameError("retriever", name, step.services.retrievers)
    asked = {field: list(values) for field, values in plan.items()}
    return await step.retrieve(
        f"retrieve_{name}",
        question=query,
        k=context.k,
        budget=context.budget,
        theta=context.theta,
        level=context.level,
        parameters=context.parameters,
        **asked,
    )
