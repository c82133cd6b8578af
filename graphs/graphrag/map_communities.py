"""Map: the partial answers that one batch of community reports contributes."""

from __future__ import annotations

from hoptrail.agents.graphrag.community_mapper import map_communities as ask_about
from hoptrail.graphs.batch_state import BatchState
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import Update


async def map_communities(state: BatchState, run: NodeRun) -> Update:
    """Write partial answers; without a call left the reports' own findings take their place."""
    reports = await run.read_reports(state["reports"], state["numbers"])
    answers = await ask_about(
        state["standalone_question"],
        reports,
        run.model("reporter"),
        run.services.embedder.embed,
        budget=run.context.budget,
    )
    return {"partial": [{"answers": [answer.to_json() for answer in answers]}]}
