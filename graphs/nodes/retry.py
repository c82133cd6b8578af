"""Retries after an abstention: the other strategy, then a retrieval for the missing fact."""

from __future__ import annotations

from hoptrail.agents.growth.follow_up import query_for
from hoptrail.core.types.draft import Pattern
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.nodes.retrieve import retrieve_for
from hoptrail.graphs.presets import REPORT_STRATEGIES
from hoptrail.graphs.state import State, Update


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
        "retrieved": evidence.references(),
        "evidence": {},
        "summary": evidence.summary(),
        "rounds_left": state["rounds_left"] - 1,
        "tried": [],
        "missing": {},
        "focus": query,
        "strategy": state["tried"][0],
    }
