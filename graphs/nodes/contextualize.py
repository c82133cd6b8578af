"""First node: a fresh turn, and the question made to stand alone."""

from __future__ import annotations

import time

from langchain_core.messages import BaseMessage

from hoptrail.agents.planning.contextualizer import contextualize as make_standalone
from hoptrail.core.question import check_question
from hoptrail.core.types import Chunk
from hoptrail.graphs.conversation import allowed_history, answered_turns, question_of
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update, fresh_turn

_LOOKED_UP = 50  # passages


async def contextualize(state: State, run: NodeRun) -> Update:
    """Reset the channels of the turn and resolve what the question leaves to the history."""
    question, messages = _asked(state)
    history = allowed_history(messages, run.context.document_filter)
    update = fresh_turn(question, started_at=time.time())
    update["preset"] = run.preset.name
    run.meter.notes.extend(run.services.left_out)
    standalone = await make_standalone(
        question, history, run.model("decomposer"), lambda text: _passages(text, run)
    )
    return {**update, "standalone_question": standalone}


async def _passages(text: str, run: NodeRun) -> list[Chunk]:
    evidence = await run.retrieve("retrieve_bm25", question=text, k=_LOOKED_UP)
    return [hit.item for hit in evidence.chunks]


def _asked(state: State) -> tuple[str, list[BaseMessage]]:
    """Return the question that this input brought, and the conversation before it."""
    messages: list[BaseMessage] = list(state.get("messages") or [])
    brought = state.get("question")
    if brought is not None:
        return check_question(brought), answered_turns(messages)
    return check_question(question_of(messages)), messages[:-1]
