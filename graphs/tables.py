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
    joined,
    mend_query,
    schema_of,
    write_query,
)
from hoptrail.agents.tables.table_answer import answer_from_tables
from hoptrail.core.errors import QueryError
from hoptrail.core.tables.table import Table
from hoptrail.core.tables.table_database import TableDatabase
from hoptrail.core.types import Evidence, StopReason
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.attempt import best_of, draft_or_fall_back, is_answer
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.nodes.retrieve import retrieve_for
from hoptrail.graphs.state import State, Update, gathered

_FOUND_NOTHING = "It ran and found nothing."


async def query_tables(state: State, run: NodeRun) -> Update:
    """Find the tables that passages near the question are rows of, and answer by one query.

    A query that a template is sure of costs no call. Without a model, or where its query finds
    nothing, a template's is taken that is less sure; there may be none, which is an abstention. A
    small model writes one query over the tables of the nearest document, for of more it joins what
    does not belong together. Where that is enough, or a template has found something, the course
    ends and what was found before is put aside.
    """
    question = state["standalone_question"]
    evidence = await retrieve_for(run, question)
    tables = await run.read_tables(evidence)
    by_template = await asyncio.to_thread(answer_from_tables, question, tables, run.similarity())

    async def fall_back() -> Draft:
        return by_template or Draft("tables", reason="no_evidence")

    draft = await fall_back()
    stop_reason: StopReason | Literal[""] = ""
    others: Update = {}
    model = run.optional_model("decomposer")
    is_small = run.services.models.is_small("decomposer")
    shown = _nearest(tables, evidence) if is_small else tables[:MOST_TABLES]
    if shown and model is not None and (draft.abstained or draft.reserve):
        draft, stop_reason = await draft_or_fall_back(
            lambda: _ask(question, shown, model, run, is_small=is_small), fall_back, state, run
        )
        if is_small and not stop_reason:
            found = best_of(state["attempts"]) if any(map(is_answer, state["attempts"])) else None
            answers = Draft.from_json(found["draft"]).answers if found else ()
            draft, is_enough = joined(by_template, draft, answers)
            others = {"course": [], "attempts": []} if is_enough else {}
        elif draft.abstained and not stop_reason:
            draft = await fall_back()
    return {
        "draft": draft.to_json(),
        "strategy": "tables",
        "stop_reason": stop_reason,
        **others,
        **gathered(evidence),
    }


def _nearest(tables: Sequence[Table], evidence: Evidence) -> Sequence[Table]:
    """Return the tables of the nearest document, none where prose is nearer than any."""
    if not tables or not evidence.chunks[0].item.tables:
        return ()
    return [table for table in tables[:MOST_TABLES] if table.doc_id == tables[0].doc_id]


async def _ask(
    question: str, tables: Sequence[Table], model: PromptedModel, run: NodeRun, *, is_small: bool
) -> Draft:
    """Return the draft of the first query that finds something.

    One that fails is mended once; a small model writes the same again.
    """
    with closing(await asyncio.to_thread(TableDatabase, tables)) as database:
        schema = await asyncio.to_thread(schema_of, question, tables, database)
        query = await write_query(question, schema, model)
        draft, problem = await asyncio.to_thread(_run, question, query, database)
        if problem and query and not is_small:
            query = await mend_query(question, schema, model, query, problem)
            draft, problem = await asyncio.to_thread(_run, question, query, database)
    if problem and query and problem != _FOUND_NOTHING and not is_small:
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
