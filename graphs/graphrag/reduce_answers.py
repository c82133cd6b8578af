"""Reduce: one answer from the partial answers of all batches of community reports."""

from __future__ import annotations

from hoptrail.agents.graphrag.community_reducer import join_answers, reduce_answers
from hoptrail.agents.graphrag.partial_answer import PartialAnswer
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update
from hoptrail.graphs.stop_reason import draft_or_fall_back


async def reduce(state: State, run: NodeRun) -> Update:
    """Compose the answer; without a model it is the most helpful partial answers themselves."""
    draft, stop_reason = await draft_or_fall_back(
        lambda: _compose(state, run), lambda: _join(state, run), state, run
    )
    # A reply of no use leaves the partial answers as well.
    if draft.strategy != state["strategy"]:
        run.meter.degraded = True
    return {"draft": draft.to_json(), "strategy": draft.strategy, "stop_reason": stop_reason}


async def _compose(state: State, run: NodeRun) -> Draft:
    model = run.model("answerer")
    if model is None:
        return await _join(state, run)
    return await reduce_answers(
        state["standalone_question"],
        _partial_answers(state),
        await run.read_reports(state["retrieved"]),
        model,
        budget=run.context.budget,
        temperature=run.context.temperature,
        message_id=state["message_id"],
    )


async def _join(state: State, run: NodeRun) -> Draft:
    reports = await run.read_reports(state["retrieved"])
    return join_answers(_partial_answers(state), reports, run.context.budget)


def _partial_answers(state: State) -> list[PartialAnswer]:
    return [
        PartialAnswer.from_json(answer) for batch in state["partial"] for answer in batch["answers"]
    ]
