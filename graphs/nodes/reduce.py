"""One answer from what all batches of reports contribute (source 003, reduce)."""

from __future__ import annotations

from hoptrail.agents.graphrag.community_reducer import join_answers, reduce_answers
from hoptrail.agents.graphrag.partial_answer import PartialAnswer
from hoptrail.core.errors import BudgetExceededError, ModelUnavailableError
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.state import State, Update
from hoptrail.graphs.step import Step
from hoptrail.graphs.stopping import reason_to_stop


async def reduce(state: State, step: Step) -> Update:
    """Compose the answer; without a model it is the most helpful partial answers themselves."""
    stop_reason = ""
    try:
        draft = await _compose(state, step)
    except (ModelUnavailableError, BudgetExceededError) as error:
        stop_reason = reason_to_stop(error, state, step)
        draft = await _join(state, step)
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


async def _compose(state: State, step: Step) -> Draft:
    model = step.model("answerer")
    if model is None:
        return await _join(state, step)
    return await reduce_answers(
        state["standalone_question"],
        _partial_answers(state),
        await step.read_reports(state["retrieved"]),
        model,
        step.meter,
        budget=step.context.budget,
        temperature=step.context.temperature,
        message_id=state["message_id"],
        prompts_dir=step.services.prompts_dir,
    )


async def _join(state: State, step: Step) -> Draft:
    reports = await step.read_reports(state["retrieved"])
    return join_answers(_partial_answers(state), reports, step.context.budget)


def _partial_answers(state: State) -> list[PartialAnswer]:
    return [
        PartialAnswer.from_json(answer) for batch in state["partial"] for answer in batch["answers"]
    ]
