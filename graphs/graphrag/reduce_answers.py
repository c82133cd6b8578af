"""Reduce: one answer from the partial answers of all batches of community reports."""

from __future__ import annotations

import asyncio

from hoptrail.agents.graphrag.community_mapper import PartialAnswer, map_by_similarity
from hoptrail.agents.graphrag.community_reducer import (
    answer_at_once,
    join_answers,
    reduce_answers,
)
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update
from hoptrail.graphs.stop_reason import draft_or_fall_back


async def reduce(state: State, run: NodeRun) -> Update:
    """Compose the answer, from the reports themselves where one call can read all of them.

    Without a model it is the most helpful partial answers themselves.
    """
    draft, stop_reason = await draft_or_fall_back(
        lambda: _compose(state, run), lambda: _join(state, run), state, run
    )
    # A reply of no use leaves the partial answers as well.
    if draft.strategy != state["strategy"]:
        run.meter.degraded = True
    return {"draft": draft.to_json(), "strategy": draft.strategy, "stop_reason": stop_reason}


async def _compose(state: State, run: NodeRun) -> Draft:
    model, question = run.model("answerer"), state["standalone_question"]
    if model is None:
        return await _join(state, run)
    reports = await run.read_reports(state["retrieved"])
    budget, temperature = run.context.budget, run.context.temperature
    message_id = state["message_id"]
    if state["partial"]:
        return await reduce_answers(
            question,
            _partial_answers(state),
            reports,
            model,
            budget=budget,
            temperature=temperature,
            message_id=message_id,
        )
    draft = await answer_at_once(
        question, reports, model, budget=budget, temperature=temperature, message_id=message_id
    )
    return draft or await _join(state, run)


async def _join(state: State, run: NodeRun) -> Draft:
    reports = await run.read_reports(state["retrieved"])
    partial = _partial_answers(state)
    if not state["partial"]:
        question, embed = state["standalone_question"], run.services.embedder.embed
        partial = [*await asyncio.to_thread(map_by_similarity, question, reports, embed)]
    return join_answers(partial, reports, run.context.budget)


def _partial_answers(state: State) -> list[PartialAnswer]:
    """Return what the batches contribute; a single batch is not mapped, and contributes nothing."""
    return [
        PartialAnswer.from_json(answer) for batch in state["partial"] for answer in batch["answers"]
    ]
