"""Planning: the names and themes that a dual-level retrieval searches by."""

from __future__ import annotations

from hoptrail.agents.planning.keyword_writer import KeywordLevels
from hoptrail.agents.planning.keyword_writer import write_keywords as choose
from hoptrail.core.errors import BudgetExceededError
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update


async def write_keywords(state: State, run: NodeRun) -> Update:
    """Write keywords of both levels; without a model the retriever takes the question's own."""
    question = state["standalone_question"]
    prompts_dir = run.services.prompts_dir
    try:
        model = run.model("decomposer")
        levels = await choose(question, model, run.meter, prompts_dir=prompts_dir)
    except BudgetExceededError:
        levels = KeywordLevels(degraded=True)
    update: Update = {
        "keywords": {"entities": list(levels.entities), "keywords": list(levels.themes)}
    }
    if levels.degraded:
        update["degraded"] = [*state["degraded"], "write_keywords"]
    return update
