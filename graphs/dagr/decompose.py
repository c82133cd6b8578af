"""Planning: the sub-questions that lead to the answer."""

from __future__ import annotations

from hoptrail.agents.dagr.decomposer import decompose as take_apart
from hoptrail.core.errors import BudgetExceededError
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update


async def decompose(state: State, run: NodeRun) -> Update:
    """Break the question into sub-questions, asked one after the other."""
    question = state["standalone_question"]
    model = run.model("decomposer")
    prompts_dir = run.services.prompts_dir
    try:
        decomposed = await take_apart(question, model, run.meter, prompts_dir=prompts_dir)
    except BudgetExceededError:
        decomposed = await take_apart(question, None, run.meter)
    update: Update = {"sub_questions": list(decomposed.sub_questions)}
    if decomposed.degraded:
        update["degraded"] = [*state["degraded"], "decompose"]
    return update
