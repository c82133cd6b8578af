"""A second method for an answer whose trail does not verify: what `auto` spends more on."""

from __future__ import annotations

from hoptrail.core.errors import BudgetExceededError
from hoptrail.graphs.attempt import begin, best_of, read_twice, record
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.presets import PRESETS
from hoptrail.graphs.state import State, Update, fresh_attempt


async def escalate(state: State, run: NodeRun) -> Update:
    """Put the attempt aside and begin anew with the next preset; without a call left, stop."""
    try:
        run.meter.check()
    except BudgetExceededError as error:
        return {"stop_reason": error.kind}
    name, *others = state["course"]
    question_type = state["question_type"]
    return {
        **fresh_attempt(),
        **begin(PRESETS[name], question_type, run.context),
        "course": others,
        "attempts": [*state["attempts"], record(state)],
    }


async def settle(state: State, run: NodeRun) -> Update:
    """Give the answer that two readings agree on, else that of the attempt borne out best."""
    attempts = [*state["attempts"], record(state)]
    return {**(read_twice(attempts) or best_of(attempts)), "attempts": attempts}
