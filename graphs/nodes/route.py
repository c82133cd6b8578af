"""Routing: the kind of question decides which presets take it on and how it is prompted."""

from __future__ import annotations

from hoptrail.agents.planning.router import route as classify
from hoptrail.core.errors import BudgetExceededError
from hoptrail.graphs.attempt import begin
from hoptrail.graphs.presets import PRESETS, depends_on_type
from hoptrail.graphs.state import State, Update
from hoptrail.graphs.step import Step


async def route(state: State, step: Step) -> Update:
    """Classify the question; choose the course of presets and the first one's strategy for it."""
    preset, on_graph = step.preset, step.services.has_graph_only
    has_reports = step.services.has_reports
    # A preset that treats all types alike needs no model call to tell them apart.
    is_needed = depends_on_type(preset, on_graph=on_graph, has_reports=has_reports)
    model = step.model("router") if is_needed else None
    question = state["standalone_question"]
    embedder, prompts_dir = step.services.knowledge_base.embedder, step.services.prompts_dir
    try:
        routing = await classify(
            question, model, step.meter, embedder=embedder, prompts_dir=prompts_dir
        )
    except BudgetExceededError:
        routing = await classify(question, None, step.meter, embedder=embedder)
    question_type = routing.question_type
    # Without reports nothing tells of the whole.
    served = question_type if has_reports or question_type != "global" else "inference"
    first, *others = preset.course(served, on_graph=on_graph)
    # Without a model no second method is stronger than the first; parameters are one retriever's.
    goes_on = step.context.max_model_calls > 0 and not step.context.parameters
    update: Update = {
        **begin(PRESETS[first], served, step.context),
        "question_type": question_type,
        "course": others if goes_on else [],
    }
    if routing.degraded:
        update["degraded"] = [*state["degraded"], "route"]
    return update
