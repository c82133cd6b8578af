"""Steps after an answer that does not do: another strategy, a search, another preset."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.agents.growth.follow_up import query_for
from hoptrail.core.errors import BudgetExceededError
from hoptrail.core.types.draft import Draft, Pattern
from hoptrail.graphs.attempt import begin, best_of, read_twice, record
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.nodes.retrieve import retrieve_for
from hoptrail.graphs.presets import PRESETS, REPORT_STRATEGIES, TABLES
from hoptrail.graphs.state import State, Update, fresh_attempt, gathered


async def switch_strategy(state: State, run: NodeRun) -> Update:
    """Prompt the same evidence in the other way; where reports fail, look for other evidence."""
    strategy = state["strategy"]
    update: Update = {"strategy": run.preset.alternatives[strategy]}
    if strategy in REPORT_STRATEGIES:
        update |= {"retrieved": {}, "evidence": {}}
    return update


async def retarget(state: State, run: NodeRun) -> Update:
    """Retrieve for the first pattern of the trace that stayed open, and begin anew with both."""
    missing = Pattern.from_json(state["missing"])
    known = await run.evidence(state["retrieved"])
    query = query_for(missing, state["standalone_question"])
    found = await retrieve_for(run, query)
    evidence = found.merge(known)
    return {
        **gathered(evidence),
        "rounds_left": state["rounds_left"] - 1,
        "tried": [],
        "missing": {},
        "focus": query,
        "strategy": state["tried"][0],
    }


async def escalate(state: State, run: NodeRun) -> Update:
    """Put the attempt aside and begin anew with the next preset; without a call left, stop."""
    try:
        run.meter.check()
    except BudgetExceededError as error:
        return {"stop_reason": error.kind}
    name, *others = _tables_first(state)
    question_type = state["question_type"]
    return {
        **fresh_attempt(),
        **begin(PRESETS[name], question_type, run.context),
        "course": others,
        "attempts": [*state["attempts"], record(state)],
    }


def _tables_first(state: State) -> Sequence[str]:
    """Return the course; where a query over tables gave this answer, another one comes next."""
    course = state["course"]
    is_query = bool(state["draft"]) and Draft.from_json(state["draft"]).strategy == TABLES
    return sorted(course, key=lambda name: name != TABLES) if is_query else course


async def settle(state: State, run: NodeRun) -> Update:
    """Give the answer that two readings agree on, else that of the attempt borne out best."""
    attempts = [*state["attempts"], record(state)]
    return {**(read_twice(attempts) or best_of(attempts)), "attempts": attempts}
