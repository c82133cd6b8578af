"""A second method for an answer whose trail does not verify: what `auto` spends more on."""

from __future__ import annotations

from hoptrail.core.errors import BudgetExceededError
from hoptrail.graphs.attempt import begin, best_of, record
from hoptrail.graphs.presets import PRESETS
from hoptrail.graphs.state import State, Update, fresh_attempt
from hoptrail.graphs.step import Step


async def escalate(state: State, step: Step) -> Update:
    """Put the attempt aside and begin anew with the next preset; without a call left, stop."""
    try:
        step.meter.check()
    except BudgetExceededError as error:
        return {"stop_reason": error.kind}
    name, *others = state["course"]
    question_type = state["question_type"]
    return {
        **fresh_attempt(),
        **begin(PRESETS[name], question_type, step.context),  # type: ignore[arg-type]
        "course": others,
        "attempts": [*state["attempts"], record(state)],
    }


async def settle(state: State, step: Step) -> Update:
    """Give the answer of the attempt that is borne out best."""
    attempts = [*state["attempts"], record(state)]
    return {**best_of(attempts), "attempts": attempts}
