"""First node: a fresh turn, and the question made to stand alone."""

from __future__ import annotations

import time

from langchain_core.messages import BaseMessage, HumanMessage

from hoptrail.agents.contextualizer import contextualize as make_standalone
from hoptrail.core.errors import BudgetExceededError
from hoptrail.core.question import check_question
from hoptrail.graphs.state import State, Update, fresh_turn
from hoptrail.graphs.step import Step


async def contextualize(state: State, step: Step) -> Update:
    """Reset the channels of the turn and resolve what the question leaves to the history."""
    messages: list[BaseMessage] = list(state.get("messages") or [])
    asked, is_new = _asked(messages, state.get("question") or "")
    question = check_question(asked)
    update = fresh_turn(question, started_at=time.time())
    update["preset"] = step.preset.name
    model = step.model("decomposer")
    history = messages if is_new else messages[:-1]
    prompts_dir = step.services.prompts_dir
    try:
        standalone = await make_standalone(
            question, history, model, step.meter, prompts_dir=prompts_dir
        )
    except BudgetExceededError:
        standalone = await make_standalone(question, history, None, step.meter)
    update["standalone_question"] = standalone.question
    if standalone.degraded:
        update["degraded"] = ["contextualize"]
    if is_new:
        update["messages"] = [HumanMessage(question)]
    return update


def _asked(messages: list[BaseMessage], question: str) -> tuple[str, bool]:
    # A new human message wins: `question` may be left over from a turn that failed.
    if messages and messages[-1].type == "human":
        return str(messages[-1].text), False
    return question, True
