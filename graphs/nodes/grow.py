"""Growth: what is established stays, what is open is looked up, and nothing is sent twice."""

from __future__ import annotations

from hoptrail.agents.growth.follow_up import Search, next_searches
from hoptrail.agents.growth.new_passages import choose_passages
from hoptrail.agents.growth.progress import Progress, open_facts, with_facts
from hoptrail.agents.verification.verifier import Verification
from hoptrail.core.errors import BudgetExceededError
from hoptrail.core.types import Evidence
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.attempt import record
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.nodes.retrieve import retrieve_for
from hoptrail.graphs.state import State, Update

_SEARCH_TOKENS = 3_000


async def grow(state: State, run: NodeRun) -> Update:
    """Look up what a draft leaves open; stop where the last call or the search brought nothing.

    The passages of the next call are those that the facts quote, then the new ones.
    """
    try:
        run.meter.check()
    except BudgetExceededError as error:
        return {"stop_reason": error.kind}
    before = Progress.from_json(state["progress"])
    draft = Draft.from_json(state["draft"])
    hops = Verification.from_json(state["verdict"]).trail.hops
    facts = with_facts(before.facts, hops)
    if before.shown and len(facts) == len(before.facts):
        return {"stop_reason": "nothing_new"}
    still_open = open_facts(draft, hops)
    question = state["standalone_question"]
    searches = next_searches(question, still_open, facts)
    found = [await _search(one, run) for one in searches]
    known = await run.evidence(state["retrieved"])
    read = [listed[0] for listed in state["evidence"]["chunks"]]
    shown = tuple(dict.fromkeys([*before.shown, *read]))
    quoted = {fact.chunk_id for fact in facts}
    chosen = [
        hit for hit in choose_passages(question, found, known, shown) if hit.item.id not in quoted
    ]
    if not chosen:
        return {"stop_reason": "nothing_new"}
    everything = Evidence.interleave([known, *found])
    behind = [hit for hit in everything.chunks if hit.item.id in quoted]
    return {
        "retrieved": everything.references(),
        "evidence": Evidence(chunks=(*behind, *chosen)).references(),
        "progress": Progress(facts, still_open, shown).to_json(),
        "attempts": [*state["attempts"], record(state)],
        "rounds_left": state["rounds_left"] - 1,
        "strategy": "growth",
        "focus": "; ".join(one.query for one in searches),
        "draft": {},
        "verdict": {},
    }


async def _search(search: Search, run: NodeRun) -> Evidence:
    found = await retrieve_for(run, search.query, budget=_SEARCH_TOKENS, entities=search.names)
    return Evidence(chunks=found.chunks)
