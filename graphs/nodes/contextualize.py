"""First node: a fresh turn, the question made to stand alone, and what is saved for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from hoptrail.agents.offline.answerer import search_answer
from hoptrail.agents.planning.contextualizer import contextualize as make_standalone
from hoptrail.agents.planning.router import route as classify
from hoptrail.agents.planning.spoken_things import Sources, names_of_steps
from hoptrail.core.budget import run_clock
from hoptrail.core.question import check_question
from hoptrail.core.reranking import NO_RERANKER
from hoptrail.core.text import contains_answer
from hoptrail.core.types import Chunk, Entity
from hoptrail.graphs.conversation import allowed_history, answered_turns, question_of
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.nodes.retrieve import retrieve_for
from hoptrail.graphs.saved_answer import find_saved
from hoptrail.graphs.state import State, Update, fresh_turn
from hoptrail.services.request_services import call_tool


async def contextualize(state: State, run: NodeRun) -> Update:
    """Reset the channels of the turn and resolve what the question leaves to the history.

    Then look whether a reader has saved an answer to it.
    """
    question, messages = _asked(state)
    history = allowed_history(messages, run.context.document_filter)
    update = fresh_turn(question, started_at=run_clock())
    update["preset"] = run.preset.name
    run.meter.notes.extend(run.services.left_out)
    understood = await make_standalone(question, history, run.model("decomposer"), _sources(run))
    update["saved"] = await find_saved(understood.question, run)
    return {**update, "standalone_question": understood.question, "unclear": understood.unclear}


def _sources(run: NodeRun) -> Sources:
    """Return what the knowledge base tells of a conversation."""

    async def passages(text: str, most: int) -> list[Chunk]:
        # Whether a message stands anywhere is asked, which no order of the passages changes.
        evidence = await run.retrieve("retrieve_bm25", question=text, k=most, reranker=NO_RERANKER)
        return [hit.item for hit in evidence.chunks]

    async def entities(names: Sequence[str]) -> dict[str, list[Entity]]:
        found: dict[str, list[Entity]] = await call_tool(
            run.services.tools["find_entities"], names=list(names)
        )
        return found

    trails: dict[tuple[str, str], tuple[str, ...]] = {}

    async def trail(question: str, answer: str) -> tuple[str, ...]:
        if (question, answer) not in trails:
            trails[question, answer] = await _trail_of(question, answer, run)
        return trails[question, answer]

    return Sources(passages, entities, trail)


async def _trail_of(question: str, answer: str, run: NodeRun) -> tuple[str, ...]:
    """Return what the steps to an answer name that was given where no trail is kept.

    They are looked for once more, and count where they lead to the same answer.
    """
    if run.retriever is None or run.services.is_empty:
        return ()
    evidence = await retrieve_for(run, question)
    question_type = await classify(question, None, embedder=run.services.embedder)
    draft = await asyncio.to_thread(
        search_answer, question, question_type, evidence, run.similarity()
    )
    is_same = any(contains_answer(answer, one) for one in draft.answers)
    return names_of_steps(draft.hops) if is_same else ()


def _asked(state: State) -> tuple[str, list[BaseMessage]]:
    """Return the question that this input brought, and the conversation before it."""
    messages: list[BaseMessage] = list(state.get("messages") or [])
    brought = state.get("question")
    if brought is not None:
        return check_question(brought), answered_turns(messages)
    return check_question(question_of(messages)), messages[:-1]
