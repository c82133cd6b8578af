"""One answer from what all batches of reports contribute (source 003, reduce)."""

from __future__ import annotations

from hoptrail.agents.graphrag.community_reducer import join_answers, reduce_answers
from hoptrail.agents.graphrag.partial_answer import PartialAnswer
from hoptrail.core.errors import BudgetExceededError, ModelUnavailableError
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update
from hoptrail.graphs.stop_reason import reason_to_stop


async def reduce(state: State, run: NodeRun) -> Update:
    """Compose the answer; without a model it is the most helpful partial answers themselves."""
    stop_reason = ""
    try:
        draft = await _compose(state, run)
    except (ModelUnavailableError, BudgetExceededError) as error:
        stop_reason = reason_to_stop(error, state, run)
        draft = await _join(state, run)
    degraded = list(state["degraded"])
    if any(batch["degraded"] for batch in state["partial"]):
        degraded.append("map_communities")
    if draft.strategy != state["strategy"]:
        degraded.append("reduce")
    return {
        "draft": draft.to_json(),
        "strategy": draft.strategy,
        "stop_reason": stop_reason,
        "degraded": degraded,
    }


async def _compose(state: State, run: NodeRun) -> Draft:
    model = run.model("answerer")
    if model is None:
        return await _join(state, run)
    return await reduce_answers(
        state["standalone_question"],
        _partial_answers(state),
        await run.read_reports(state["retrieved"]),
        model,
        run.meter,
        budget=run.context.budget,
        temperature=run.context.temperature,
        message_id=state["message_id"],
        prompts_dir=run.services.prompts_dir,
    )


async def _join(state: State, run: NodeRun) -> Draft:
    reports = await run.read_reports(state["retrieved"])
    return join_answers(_partial_answers(state), reports, run.context.budget)


def _partial_answers(state: State) -> list[PartialAnswer]:
    return [
        PartialAnswer.from_json(answer) for batch in state["partial"] for answer in batch["answers"]
    ]
