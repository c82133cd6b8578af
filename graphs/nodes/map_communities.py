"""One batch of reports: what they contribute to the answer (source 003, map)."""

from __future__ import annotations

from hoptrail.agents.graphrag.community_mapper import map_communities as ask_about
from hoptrail.core.errors import BudgetExceededError
from hoptrail.graphs.batch_state import BatchState
from hoptrail.graphs.state import Update
from hoptrail.graphs.step import Step


async def map_communities(state: BatchState, step: Step) -> Update:
    """Write partial answers; without a call left the reports' own findings take their place."""
    question, embed = state["standalone_question"], step.services.embed
    reports = await step.read_reports(state["reports"], state["numbers"])
    budget, prompts_dir = step.context.budget, step.services.prompts_dir
    try:
        model = step.model("reporter")
        mapped = await ask_about(
            question, reports, model, step.meter, embed, budget=budget, prompts_dir=prompts_dir
        )
    except BudgetExceededError:
        mapped = await ask_about(question, reports, None, step.meter, embed, budget=budget)
    answers = [answer.to_json() for answer in mapped.answers]
    return {"partial": [{"answers": answers, "degraded": mapped.degraded}]}
