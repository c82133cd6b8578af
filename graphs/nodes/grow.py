"""Growth: what is established stays, what is open is looked up, and nothing is sent twice."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from hoptrail.agents.growth.follow_up import (
    Hits,
    Search,
    choose_passages,
    look_ahead,
    next_searches,
)
from hoptrail.agents.growth.progress import Progress, advance, leads_on
from hoptrail.agents.verification.verifier import Verification
from hoptrail.core.errors import BudgetExceededError
from hoptrail.core.passages import in_reading_order
from hoptrail.core.types import Evidence
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.attempt import record
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.nodes.retrieve import retrieve_for
from hoptrail.graphs.state import State, Update, shown_evidence

_SEARCH_TOKENS = 6_000


async def grow(state: State, run: NodeRun) -> Update:
    """Look up what a draft leaves open; stop where the last call or the search brought nothing.

    A call has brought something where it names what no one has named before: from there a search
    can lead on.
    The passages of the next call are those behind what is established or claimed, then new ones.
    """
    try:
        run.meter.check()
    except BudgetExceededError as error:
        return {"stop_reason": error.kind}
    before = Progress.from_json(state["progress"])
    draft = Draft.from_json(state["draft"])
    progress = advance(before, draft, Verification.from_json(state["verdict"]))
    question = state["standalone_question"]
    if before.shown and not leads_on(question, before, progress.names):
        return {"stop_reason": "nothing_new"}
    searches = next_searches(question, progress)
    found = [await _search(one, run) for one in searches]
    wider = look_ahead(progress)
    ahead = await _search(wider, run) if wider else Evidence()
    known = await run.evidence(state["retrieved"])
    read = [listed[0] for listed in shown_evidence(state)["chunks"]]
    shown = tuple(dict.fromkeys([*before.shown, *read]))
    told = progress.told
    chosen = choose_passages(question, searches, found, known, shown, told, ahead)
    if not chosen:
        return {"stop_reason": "nothing_new"}
    everything = Evidence.interleave([known, *found, ahead])
    whole = tuple(hit.item.id for hit in chosen if hit.item.id in told)
    return {
        **_to_read(everything, chosen, told),
        "progress": replace(progress, shown=shown, whole=whole).to_json(),
        "attempts": [*state["attempts"], record(state)],
        "rounds_left": state["rounds_left"] - 1,
        "strategy": "growth",
        "focus": "; ".join(one.query for one in searches),
        "draft": {},
        "verdict": {},
    }


def _to_read(everything: Evidence, chosen: Hits, told: Collection[str]) -> Update:
    """Return what is known by now, and of it what the next call reads: what replies named first."""
    behind = [hit for hit in everything.chunks if hit.item.id in told]
    ahead = [hit for hit in chosen if hit.item.id not in told]
    shown = Evidence(chunks=(*behind, *in_reading_order(ahead)))
    return {
        "retrieved": everything.references(),
        "evidence": shown.references(),
        "summary": shown.summary(),
    }


async def _search(search: Search, run: NodeRun) -> Evidence:
    found = await retrieve_for(run, search.query, {"entities": search.names}, budget=_SEARCH_TOKENS)
    return Evidence(chunks=found.chunks)
