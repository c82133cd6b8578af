"""Text to Cypher: a query over the published base, mended once, and the answer of its rows."""

from __future__ import annotations

import asyncio

from hoptrail.agents.cypher import FOUND_NOTHING, FailedQuery, draft_from_rows, write_query
from hoptrail.agents.decision import PromptedModel
from hoptrail.core.errors import ModelReplyError, QueryError
from hoptrail.core.types import AbstainReason, Evidence
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.attempt import draft_or_fall_back
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update
from hoptrail.services.request_services import call_tool
from hoptrail.tools.cypher import QUERY_GRAPH, QueriedGraph, QueryGuide

_TRIES = 2


async def query_graph(state: State, run: NodeRun) -> Update:
    """Let a model write a query and answer by its rows; without an answer there is an abstention.

    What the rows were matched from is the evidence. After an abstention the passages nearest to the
    question are looked up instead.
    """
    found: list[QueriedGraph] = []
    model = run.model("decomposer")

    async def abstain() -> Draft:
        return _abstention("no_evidence")

    if QUERY_GRAPH not in run.services.tools:
        if run.context.document_filter is not None:
            run.meter.note("a filter is answered from the folder, which takes no query")
        return {"draft": _abstention("no_graph_server").to_json(), "strategy": "cypher"}
    if model is None:
        return {"draft": _abstention("no_model").to_json(), "strategy": "cypher"}
    draft, stop_reason = await draft_or_fall_back(
        lambda: _ask(model, found, state, run), abstain, state, run
    )
    evidence = Evidence() if draft.abstained else found[-1].evidence
    return {
        "draft": draft.to_json(),
        "strategy": draft.strategy,
        "stop_reason": stop_reason,
        "retrieved": {} if draft.abstained else evidence.references(),
        "evidence": {},
        "summary": evidence.summary(),
    }


async def _ask(
    model: PromptedModel, found: list[QueriedGraph], state: State, run: NodeRun
) -> Draft:
    """Return the draft of the first query that finds something; its result is the last of `found`.

    A query that is refused, fails or finds nothing is written once more.
    """
    question = state["standalone_question"]
    guide: QueryGuide = await call_tool(run.services.tools["describe_queries"], question=question)
    failed: FailedQuery | None = None
    for _ in range(_TRIES):
        try:
            query = await write_query(question, guide, model, failed)
        except ModelReplyError:
            run.meter.degraded = True
            break
        if not query:
            break
        try:
            found.append(await call_tool(run.services.tools[QUERY_GRAPH], query=query))
        except QueryError as error:
            failed = FailedQuery(query, str(error))
            continue
        draft = await asyncio.to_thread(draft_from_rows, found[-1])
        if not draft.abstained:
            return draft
        failed = FailedQuery(query, FOUND_NOTHING)
    if failed is not None and failed.problem != FOUND_NOTHING:
        run.meter.note(f"the query was not run: {failed.problem}")
    return Draft("cypher", reason="no_evidence", raw=failed.query if failed else "")


def _abstention(reason: AbstainReason) -> Draft:
    return Draft("cypher", reason=reason)
