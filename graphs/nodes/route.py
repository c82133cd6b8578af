"""Routing: the kind of question decides which presets take it on and how it is prompted."""

from __future__ import annotations

from hoptrail.agents.planning.router import route as classify
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.attempt import begin
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.presets import PRESETS, depends_on_type
from hoptrail.graphs.state import State, Update


async def route(state: State, run: NodeRun) -> Update:
    """Classify the question; choose the course of presets and the first one's strategy for it."""
    preset, on_graph = run.preset, run.services.has_graph_only
    has_reports = run.services.has_reports
    # A preset that treats all types alike needs no model call to tell them apart.
    is_needed = depends_on_type(preset, on_graph=on_graph, has_reports=has_reports)
    model = run.model("router") if is_needed else None
    question_type = await classify(
        state["standalone_question"], model, embedder=run.services.embedder
    )
    if run.lacks_model:
        return {"question_type": question_type, **_without_model()}
    # Without reports nothing tells of the whole.
    served = question_type if has_reports or question_type != "global" else "inference"
    first, *others = preset.course(served, on_graph=on_graph)
    # Without a model no second method is stronger than the first; parameters are one retriever's.
    goes_on = run.context.max_model_calls > 0 and not run.context.parameters
    return {
        **begin(PRESETS[first], served, run.context),
        "question_type": question_type,
        "course": others if goes_on else [],
    }


def _without_model() -> Update:
    """Return the update by which a run only looks up passages and says that it lacks a model."""
    return {"stop_reason": "model_unavailable", "draft": Draft("none", reason="no_model").to_json()}
