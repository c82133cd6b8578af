"""Verification: each hop against a relation and a passage, the answer against what is cited."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from hoptrail.agents.reading.passage_reading import is_denied
from hoptrail.agents.verification.likelihood import likelihood_of, may_be_weighed
from hoptrail.agents.verification.model_marks import read_marks
from hoptrail.agents.verification.report_verifier import check_references
from hoptrail.agents.verification.same_answer import are_same_answers
from hoptrail.agents.verification.verifier import (
    Verification,
    is_groundless,
    needed_chunks,
    with_marks,
)
from hoptrail.agents.verification.verifier import verify as check
from hoptrail.core.types import Evidence, Hit
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.presets import REPORT_STRATEGIES
from hoptrail.graphs.state import State, Update


async def verify(state: State, run: NodeRun) -> Update:
    """Check the draft by words, which decide whether it may be given, else it is an abstention.

    Where the choices ask for it, a model then checks the marks of the steps.
    """
    draft = Draft.from_json(state["draft"])
    question, question_type = state["standalone_question"], state["question_type"]
    if draft.strategy in REPORT_STRATEGIES:
        # The relations and passages behind the reports that the answer cites.
        cited = [report.id for report in draft.reports]
        evidence = await run.retrieve("read_reports", report_ids=cited)
        verdict = await asyncio.to_thread(check_references, draft, evidence)
    else:
        evidence = await _with_cited_passages(draft, await run.evidence(state["retrieved"]), run)
        verdict = await asyncio.to_thread(check, draft, question, question_type, evidence)
        # A closed book answers from memory: there is nothing that could bear it out.
        is_closed = draft.strategy == "closed_book"
        is_open = is_closed or verdict.verified or draft.abstained
        if (
            not is_open
            and await asyncio.to_thread(is_groundless, draft, verdict, evidence)
            or await _is_denied(draft, state, evidence, run)
        ):
            unverified = Draft(draft.strategy, reason="unverified", raw=draft.raw)
            return {**_told(verdict), "draft": unverified.to_json()}
        verdict = await _weighed(verdict, draft, question, evidence, run)
    if run.context.verify == "model" and not draft.abstained:
        verdict = await _checked_by_model(verdict, draft, question, evidence, run)
    return _told(verdict)


async def _weighed(
    verdict: Verification, draft: Draft, question: str, evidence: Evidence, run: NodeRun
) -> Verification:
    """Return the verdict with how likely an answer with reserve is right, without a model."""
    if not await asyncio.to_thread(may_be_weighed, draft, verdict, question):
        return verdict

    def weigh() -> float | None:
        # The first question loads the reader's weights, which would block the loop.
        reader = run.services.passage_reader
        return likelihood_of(draft, verdict, question, evidence, reader)

    return replace(verdict, likelihood=await asyncio.to_thread(weigh))


def _told(verdict: Verification) -> Update:
    """Return the verdict, with a line for each step: how it is borne out, and by which sentence."""
    lines = [
        f"{hop.support}: {hop.claim}" + (f' | "{hop.quote}"' if hop.quote else "")
        for hop in verdict.trail.hops
    ]
    return {"summary": lines, "verdict": verdict.to_json()}


async def _checked_by_model(
    verdict: Verification, draft: Draft, question: str, evidence: Evidence, run: NodeRun
) -> Verification:
    """Return the verdict with the marks that the model of the role `judge` gives."""
    chunks = {hit.item.id: hit.item for hit in evidence.chunks}
    marks = await read_marks(verdict.trail.hops, chunks, run.optional_model("judge"), run.meter)
    if not marks:
        return verdict
    return await asyncio.to_thread(with_marks, verdict, marks, draft, question, evidence)


async def _with_cited_passages(draft: Draft, evidence: Evidence, run: NodeRun) -> Evidence:
    missing = await asyncio.to_thread(needed_chunks, draft, evidence)
    if not missing:
        return evidence
    chunks = await run.read_chunks(missing)
    return evidence.merge(Evidence(chunks=tuple(Hit(chunk, channel="cited") for chunk in chunks)))


async def _is_denied(draft: Draft, state: State, evidence: Evidence, run: NodeRun) -> bool:
    """Return whether a small model's answer is found by nothing else, and the reader denies it."""
    if draft.strategy != "short" or draft.abstained:
        return False
    found = (Draft.from_json(one["draft"]) for one in state["attempts"] if one["draft"])
    if any(are_same_answers(one.answers, draft.answers) for one in found):
        return False

    def ask() -> bool:
        # The first question loads the reader's weights, which would block the loop.
        reader = run.services.passage_reader
        passages = [hit.item for hit in evidence.chunks]
        question = state["standalone_question"]
        return reader is not None and is_denied(question, draft.text, passages, reader)

    return await asyncio.to_thread(ask)
