"""Last node: the answer in its contract form, and as the conversation's next message."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.config import get_stream_writer

from hoptrail.agents.answering.abstention import (
    NOT_FROM_REPORTS,
    NOTHING_INDEXED,
    explain_abstention,
    missing_reports,
)
from hoptrail.agents.answering.missing_words import missing_words
from hoptrail.agents.answering.nearest_passages import nearest_passages
from hoptrail.agents.language.reserves import unclear
from hoptrail.agents.planning.spoken_things import names_of_steps
from hoptrail.agents.planning.turns import REPLY_TO_THANKS, is_thanks
from hoptrail.agents.verification.likelihood import is_unlikely
from hoptrail.agents.verification.verifier import Verification
from hoptrail.core.budget import run_clock
from hoptrail.core.language.detection import question_language
from hoptrail.core.language.messages import in_language, load_messages
from hoptrail.core.types import Answer, Evidence, NearestPassage, StopReason, Trail
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.conversation import answer_message, turn_messages
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.presets import REPORT_STRATEGIES
from hoptrail.graphs.saved_answer import is_saved, note_of, saved_result
from hoptrail.graphs.state import State, Update, shown_evidence, total_usage


async def finalize(state: State, run: NodeRun) -> Update:
    """Give the saved answer, or put draft, verdict, account and the nearest passages together."""
    evidence = await run.evidence(state["retrieved"]) if state["retrieved"] else Evidence()
    saved = saved_result(state, run) if is_saved(state) else None
    result = saved or await _searched(state, run, evidence)
    wanted = run.context.document_filter
    write = get_stream_writer()
    for hop in result.trail.hops:
        write({"type": "hop", "hop": hop.to_json()})
    # An answer that already streamed under this id is not shown twice; an abstention is new.
    message_id = None if result.abstained else state["message_id"]
    message = answer_message(
        result.text,
        message_id,
        wanted,
        perhaps=result.perhaps,
        standalone=result.standalone_question,
        trail=_names_told(result, state),
    )
    messages = turn_messages(state.get("messages") or [], result.question, message)
    return {"answer": result.to_contract(), "messages": messages, **_kept(state, evidence, result)}


def _names_told(result: Answer, state: State) -> tuple[str, ...]:
    """Return what the steps of an answer name, also of words that are told and not given."""
    if result.abstain_reason == "unlikely":
        return names_of_steps(Verification.from_json(state["verdict"]).trail.hops)
    return () if result.abstained else names_of_steps(result.trail.hops)


async def _searched(state: State, run: NodeRun, evidence: Evidence) -> Answer:
    """Return what the search came to."""
    draft = Draft.from_json(state["draft"]) if state["draft"] else Draft("none")
    verdict = Verification.from_json(state["verdict"]) if state["verdict"] else None
    unlikely = ""
    if verdict is not None and is_unlikely(verdict):
        unlikely, verdict = draft.text, None
        draft = Draft(draft.strategy, reason="unlikely")
    wanted = run.context.document_filter
    lacking = _lacking(state, run, draft)
    doubt = unclear(state["unclear"]) if state["unclear"] else None
    language = await asyncio.to_thread(_language_of, state["asked"])
    nearest = await asyncio.to_thread(nearest_passages, state["standalone_question"], evidence)
    text = draft.text
    if draft.abstained:
        text = await asyncio.to_thread(
            _abstention, draft, state, lacking or doubt, language, evidence, nearest, unlikely
        )
    return Answer(
        question=state["asked"],
        text=text,
        standalone_question=state["standalone_question"],
        abstained=draft.abstained,
        abstain_reason=(draft.reason or "no_evidence") if draft.abstained else None,
        question_type=state["question_type"] or None,
        preset=state["preset"],
        presets=tuple(dict.fromkeys(one["preset"] for one in state["attempts"]))
        or (state["preset"],),
        strategy=draft.strategy,
        stop_reason=_stop_reason(state, draft),
        degraded=(
            *state["degraded"],
            *state["notes"],
            *([in_language(lacking, language)] if lacking and not draft.abstained else []),
        ),
        usage=total_usage(state["usage"], seconds=run_clock() - state["started_at"]),
        nearest=nearest,
        query=draft.raw or None if draft.strategy in {"cypher", "tables"} else None,
        filter=None if wanted is None else wanted.to_json(),
        saved=note_of(state),
        **_checked(verdict, draft, doubt, language),
    )


def _kept(state: State, evidence: Evidence, answer: Answer) -> Update:
    """Return the channels of evidence with what the answer shows; the rest is of no more use."""
    chunks = {
        *(hop.chunk_id for hop in answer.trail.hops),
        *(one.chunk_id for one in answer.citations),
        *(one.chunk_id for one in answer.nearest),
    }
    relations = {hop.relation_id for hop in answer.trail.hops}
    entities = {one.entity_id for one in answer.answers}
    reports = {one.id for one in answer.reports}
    shown = Evidence(
        entities=tuple(hit for hit in evidence.entities if hit.item.id in entities),
        relations=tuple(hit for hit in evidence.relations if hit.item.id in relations),
        chunks=tuple(hit for hit in evidence.chunks if hit.item.id in chunks),
        paths=tuple(
            hit for hit in evidence.paths if relations & {one.id for one in hit.item.relations}
        ),
        reports=tuple(hit for hit in evidence.reports if hit.item.id in reports),
    )
    attempts = [{**one, "retrieved": {}, "evidence": {}} for one in state["attempts"]]
    return {"retrieved": shown.references(), "evidence": {}, "attempts": attempts}


def _language_of(question: str) -> str:
    """Return the language of a question; its messages are read here, in a thread."""
    language = question_language(question)
    load_messages(language)
    return language


def _abstention(
    draft: Draft,
    state: State,
    lacking: str | None,
    language: str,
    evidence: Evidence,
    nearest: tuple[NearestPassage, ...],
    unlikely: str,
) -> str:
    if is_thanks(state["asked"]):
        return REPLY_TO_THANKS
    question = state["standalone_question"]
    nearest_id = nearest[0].chunk_id if nearest else None
    missing = missing_words(question, evidence, nearest_id, language)
    read = shown_evidence(state)
    return explain_abstention(draft, read, question, lacking, language, missing, unlikely)


def _lacking(state: State, run: NodeRun, draft: Draft) -> str | None:
    """Return what the base lacks for the question; a filter leaves reports out, which is told."""
    if run.services.is_empty:
        return NOTHING_INDEXED
    if run.context.filter is not None or is_thanks(state["asked"]):
        return None
    reads_reports = run.preset.strategies[state["question_type"]] in REPORT_STRATEGIES
    if not run.services.has_reports:
        return missing_reports(state["standalone_question"], reads_reports=reads_reports)
    is_other = reads_reports and draft.strategy not in REPORT_STRATEGIES
    return NOT_FROM_REPORTS if is_other and not draft.abstained else None


def _checked(
    verdict: Verification | None, draft: Draft, doubt: str | None, language: str
) -> dict[str, Any]:
    if verdict is None:
        return {"trail": Trail()}
    if draft.abstained:
        return {"trail": verdict.trail, "derived": verdict.derived}
    reserve = doubt or verdict.reserve
    return {
        "reports": verdict.reports,
        "trail": verdict.trail,
        "answers": verdict.answers,
        "citations": verdict.citations,
        "derived": verdict.derived,
        "perhaps": bool(reserve),
        "perhaps_reason": in_language(reserve, language) if reserve else reserve,
    }


def _stop_reason(state: State, draft: Draft) -> StopReason:
    # That nothing was found to add to an answer is no reason to tell.
    is_given = state["stop_reason"] == "nothing_new" and not draft.abstained
    if state["stop_reason"] and not is_given:
        return state["stop_reason"]
    return "abstained" if draft.abstained else "answered"
