"""Tables asked by one query: a template's where it is sure, else a model's, mended once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import closing
from typing import Literal

from hoptrail.agents.decision import PromptedModel
from hoptrail.agents.tables.query_writer import (
    MOST_TABLES,
    draft_from_result,
    mend_query,
    schema_of,
    write_query,
)
from hoptrail.agents.tables.table_answer import answer_from_tables
from hoptrail.core.errors import QueryError
from hoptrail.core.tables.table import Table
from hoptrail.core.tables.table_database import TableDatabase
from hoptrail.core.types import StopReason
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.attempt import draft_or_fall_back
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.nodes.retrieve import retrieve_for
from hoptrail.graphs.state import State, Update, gathered

_FOUND_NOTHING = "It ran and found nothing."


async def query_tables(state: State, run: NodeRun) -> Update:
    """Find the tables that passages near the question are rows of, and answer by one query.

    A query that a template is sure of costs no call. Without a model, or where its query finds
    nothing, a template's is taken that is less sure; there may be none, which is an abstention. A
    small model is asked only then, and only where nobody else reads the passages next: of what
    templates are less sure of it gets less right, and two queries take it longer than to read.
    """
    question = state["standalone_question"]
    evidence = await retrieve_for(run, question)
    tables = await run.read_tables(evidence)
    by_template = await asyncio.to_thread(answer_from_tables, question, tables, run.similarity())

    async def fall_back() -> Draft:
        return by_template or Draft("tables", reason="no_evidence")

    draft = await fall_back()
    stop_reason: StopReason | Literal[""] = ""
    model = run.optional_model("decomposer")
    has_template = by_template is not None and not by_template.abstained
    is_small = run.services.models.is_small("decomposer")
    asks = not _is_sure(by_template)
    if is_small:
        asks = not has_template and not state["course"]
    if tables and model is not None and asks:
        draft, stop_reason = await draft_or_fall_back(
            lambda: _ask(question, tables[:MOST_TABLES], model, run), fall_back, state, run
        )
        draft = await fall_back() if draft.abstained and not stop_reason else draft
    return {
        "draft": draft.to_json(),
        "strategy": "tables",
        "stop_reason": stop_reason,
        **gathered(evidence),
    }


def _is_sure(draft: Draft | None) -> bool:
    return draft is not None and not draft.abstained and not draft.reserve


async def _ask(question: str, tables: Sequence[Table], model: PromptedModel, run: NodeRun) -> Draft:
    """Return the draft of the first query that finds something; a failed one is mended once."""
    with closing(await asyncio.to_thread(TableDatabase, tables)) as database:
        schema = await asyncio.to_thread(schema_of, question, tables, database)
        query = await write_query(question, schema, model)
        draft, problem = await asyncio.to_thread(_run, question, query, database)
        if problem and query:
            query = await mend_query(question, schema, model, query, problem)
            draft, problem = await asyncio.to_thread(_run, question, query, database)
    if problem and query and problem != _FOUND_NOTHING:
        run.meter.note(f"the query was not run: {problem}")
    return draft


def _run(question: str, query: str, database: TableDatabase) -> tuple[Draft, str]:
    """Return the draft of a query, and what was wrong with it: empty where it found something."""
    if not query:
        return Draft("tables", reason="no_evidence"), ""
    try:
        database.check_names(query)
        draft = draft_from_result(question, database.run(query), database)
    except QueryError as error:
        return Draft("tables", reason="no_evidence", raw=query), error.message
    return draft, _FOUND_NOTHING if draft.abstained else ""
