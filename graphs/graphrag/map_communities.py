"""One batch of reports: what they contribute to the answer (source 003, map)."""

from __future__ import annotations

from hoptrail.agents.graphrag.community_mapper import map_communities as ask_about
from hoptrail.core.errors import BudgetExceededError
from hoptrail.graphs.batch_state import BatchState
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import Update


async def map_communities(state: BatchState, run: NodeRun) -> Update:
    """Write partial answers; without a call left the reports' own findings take their place."""
    question, embed = state["standalone_question"], run.services.embed
    reports = await run.read_reports(state["reports"], state["numbers"])
    budget, prompts_dir = run.context.budget, run.services.prompts_dir
    try:
        model = run.model("reporter")
        mapped = await ask_about(
            question, reports, model, run.meter, embed, budget=budget, prompts_dir=prompts_dir
        )
    except BudgetExceededError:
        mapped = await ask_about(question, reports, None, run.meter, embed, budget=budget)
    answers = [answer.to_json() for answer in mapped.answers]
    return {"partial": [{"answers": answers, "degraded": mapped.degraded}]}
