"""Why a run goes on without its model."""

from __future__ import annotations

from typing import cast

from hoptrail.core.errors import BudgetExceededError, HoptrailError
from hoptrail.core.types import StopReason
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, total_usage


def reason_to_stop(error: HoptrailError, state: State, run: NodeRun) -> StopReason:
    """Return the kind of budget that is spent, or that the model is not available."""
    spent = total_usage(state["usage"])
    was_heard = spent.completion_tokens + run.meter.usage.completion_tokens > 0
    # Tries that nobody answered use up the calls: then the model is the reason, not the budget.
    if isinstance(error, BudgetExceededError) and (was_heard or spent.llm_calls == 0):
        return cast(StopReason, error.kind)
    return "model_unavailable"
