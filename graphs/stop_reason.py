"""Answers that are drafted without their model, and why a run goes on without it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, cast

from hoptrail.core.errors import (
    BudgetExceededError,
    HoptrailError,
    ModelReplyError,
    ModelUnavailableError,
)
from hoptrail.core.types import StopReason
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, total_usage

Drafting = Callable[[], Awaitable[Draft]]


async def draft_or_fall_back(
    ask: Drafting, fall_back: Drafting, state: State, run: NodeRun
) -> tuple[Draft, StopReason | Literal[""]]:
    """Return the model's draft; else the draft made without it, and why.

    Unlike the other decisions of a run, one on the answer itself ends the run where it fails: a
    retry would ask the same model, or spend from the same budget. A reply that cannot be read
    leaves the rest of the run as it is.
    """
    try:
        return await ask(), ""
    except ModelReplyError as error:
        run.meter.degraded = True
        run.meter.note(f"the answer is graph search's: {error.message}")
        return await fall_back(), ""
    except (ModelUnavailableError, BudgetExceededError) as error:
        run.meter.degraded = True
        return await fall_back(), _reason_to_stop(error, state, run)


def _reason_to_stop(error: HoptrailError, state: State, run: NodeRun) -> StopReason:
    """Return the kind of budget that is spent, or that the model is not available."""
    spent = total_usage(state["usage"])
    was_heard = spent.completion_tokens + run.meter.usage.completion_tokens > 0
    # Tries that nobody answered use up the calls: then the model is the reason, not the budget.
    if isinstance(error, BudgetExceededError) and (was_heard or spent.llm_calls == 0):
        return cast(StopReason, error.kind)
    return "model_unavailable"
