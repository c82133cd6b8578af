"""Routing: the kind of question decides how it is prompted."""

from __future__ import annotations

from hoptrail.agents.router import route as classify
from hoptrail.core.errors import BudgetExceededError
from hoptrail.graphs.state import State, Update
from hoptrail.graphs.step import Step


async def route(state: State, step: Step) -> Update:
    """Classify the question and choose the preset's strategy for its type."""
    strategies = step.preset.strategies
    # A preset that treats all types alike needs no model call to tell them apart.
    model = step.model("router") if len(set(strategies.values())) > 1 else None
    question = state["standalone_question"]
    embedder, prompts_dir = step.services.knowledge_base.embedder, step.services.prompts_dir
    try:
        routing = await classify(
            question, model, step.meter, embedder=embedder, prompts_dir=prompts_dir
        )
    except BudgetExceededError:
        routing = await classify(question, None, step.meter, embedder=embedder)
    update: Update = {
        "question_type": routing.question_type,
        "strategy": strategies[routing.question_type],
    }
    if routing.degraded:
        update["degraded"] = [*state["degraded"], "route"]
    return update
