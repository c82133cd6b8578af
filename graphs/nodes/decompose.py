"""Planning: the sub-questions that lead to the answer."""

from __future__ import annotations

from hoptrail.agents.dagr.decomposer import decompose as take_apart
from hoptrail.core.errors import BudgetExceededError
from hoptrail.graphs.state import State, Update
from hoptrail.graphs.step import Step


async def decompose(state: State, step: Step) -> Update:
    """Break the question into sub-questions, asked one after the other."""
    question = state["standalone_question"]
    model = step.model("decomposer")
    prompts_dir = step.services.prompts_dir
    try:
        decomposed = await take_apart(question, model, step.meter, prompts_dir=prompts_dir)
    except BudgetExceededError:
        decomposed = await take_apart(question, None, step.meter)
    update: Update = {"sub_questions": list(decomposed.sub_questions)}
    if decomposed.degraded:
        update["degraded"] = [*state["degraded"], "decompose"]
    return update
