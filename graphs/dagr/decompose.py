"""Planning: the sub-questions that lead to the answer."""

from __future__ import annotations

from hoptrail.agents.dagr.decomposer import decompose as take_apart
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update


async def decompose(state: State, run: NodeRun) -> Update:
    """Break the question into sub-questions, asked one after the other."""
    sub_questions = await take_apart(state["standalone_question"], run.model("decomposer"))
    return {"sub_questions": list(sub_questions)}
