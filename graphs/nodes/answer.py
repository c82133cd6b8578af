"""Answering: by a model's prompt, else by searching the evidence itself."""

from __future__ import annotations

import asyncio
from typing import Literal, cast

from langgraph.config import get_stream_writer

from hoptrail.agents.answering.graph_answerer import answer_from_paths, draft_from_graph
from hoptrail.agents.answering.prompt_answerer import PromptingStrategy, answer_short
from hoptrail.agents.answering.prompt_answerer import answer as write_answer
from hoptrail.agents.decision import PromptedModel
from hoptrail.agents.evidence.excerpt import excerpt
from hoptrail.agents.graphrag.extractive_answerer import answer_from_reports
from hoptrail.agents.growth.progress import Progress, cut_to_quotes, facts_text
from hoptrail.agents.offline.answerer import search_answer
from hoptrail.core.passages import render_briefly
from hoptrail.core.progress import Follow, ReplyProgress
from hoptrail.core.render import Rendered, render
from hoptrail.core.types import Evidence, StopReason
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.attempt import draft_or_fall_back, may_be_replaced
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update, shown_evidence

_DRAFT_STEPS = 16


async def answer(state: State, run: NodeRun) -> Update:
    """Draft an answer; a model that is down or a spent budget leaves it to graph search."""
    strategy = state["strategy"]
    stop_reason: StopReason | Literal[""] = ""
    model = run.model("answerer")
    if strategy == "extractive":
        draft = await _extract(state, run)
    elif strategy == "graph_search" or model is None:
        draft = await _search(state, run)
    else:
        draft, stop_reason = await draft_or_fall_back(
            lambda: _ask(model, state, run), lambda: _search(state, run), state, run
        )
    missing = draft.missing if draft.abstained else None
    return {
        "summary": [f"no answer: {draft.reason}" if draft.abstained else draft.text],
        "draft": draft.to_json(),
        "strategy": draft.strategy,
        "tried": [*state["tried"], strategy, *_same_to(draft, run)],
        # A retry by another strategy may abstain without saying what it lacks.
        "missing": missing.to_json() if missing is not None else state["missing"],
        "stop_reason": stop_reason,
    }


def _same_to(draft: Draft, run: NodeRun) -> list[str]:
    """Return the strategies that would give the same once more: the graph LLM reads no prompt."""
    return [*run.preset.alternatives.values()] if draft.strategy == "graph_llm" else []


async def _extract(state: State, run: NodeRun) -> Draft:
    reports = await run.read_reports(state["retrieved"])
    question = state["standalone_question"]
    return await asyncio.to_thread(
        answer_from_reports, question, reports, run.services.embedder.embed
    )


async def _ask(model: PromptedModel, state: State, run: NodeRun) -> Draft:
    evidence = await run.evidence(shown_evidence(state))
    if state["strategy"] == "short":
        return await _ask_briefly(model, evidence, state, run)
    if not run.reads_graph("answerer", evidence):
        return await _prompt(model, evidence, state, run)
    question = state["standalone_question"]
    reply = await run.ask_graph_llm(question, shown_evidence(state))
    return await asyncio.to_thread(draft_from_graph, question, reply, evidence)


async def _ask_briefly(
    model: PromptedModel, evidence: Evidence, state: State, run: NodeRun
) -> Draft:
    question = state["standalone_question"]
    shown = await asyncio.to_thread(
        excerpt, question, evidence, run.context.compressed_budget, run.similarity()
    )
    rendered = render_briefly(shown, run.context.budget, await model.chat.token_counter())
    return await answer_short(question, rendered, model, await _teller(model, rendered))


async def _teller(model: PromptedModel, rendered: Rendered) -> Follow:
    """Return what tells those who wait how far the reply has come, after telling what it takes."""
    tell = get_stream_writer()
    if ahead := await model.chat.prompts_ahead():
        tell({"type": "waiting", "ahead": ahead})
    seconds = await asyncio.to_thread(model.chat.reading_seconds, rendered.tokens)
    reading = {"type": "reading", "tokens": rendered.tokens, "seconds": seconds}
    if not ahead:
        tell(reading)

    def follow(progress: ReplyProgress) -> None:
        if progress.text:
            tell({"type": "draft", "text": progress.text})
        elif progress.tokens_read is not None:
            tell({**reading, "read": min(progress.tokens_read, rendered.tokens)})

    return follow


async def _prompt(model: PromptedModel, evidence: Evidence, state: State, run: NodeRun) -> Draft:
    progress = Progress.from_json(state["progress"])
    if progress.shown:
        evidence = cut_to_quotes(evidence, progress)
    rendered = render(evidence, run.context.budget, await model.chat.token_counter())
    tell = _draft_teller() if may_be_replaced(state) else None
    draft = await write_answer(
        state["standalone_question"],
        rendered,
        cast("PromptingStrategy", state["strategy"]),
        model,
        facts=facts_text(progress, rendered.labels),
        temperature=run.context.temperature,
        message_id=state["message_id"],
        follow=tell,
    )
    if tell is not None and not draft.abstained:
        tell(ReplyProgress(draft.text))
    return draft


def _draft_teller() -> Follow:
    """Return what tells those who wait what is written of a reply that is no answer yet.

    As each telling holds all of it, a long one is told in larger steps.
    """
    tell = get_stream_writer()
    told = 0

    def follow(progress: ReplyProgress) -> None:
        nonlocal told
        grown = len(progress.text) - told
        if grown < 0 or grown > told // _DRAFT_STEPS:
            told = len(progress.text)
            tell({"type": "draft", "text": progress.text})

    return follow


async def _search(state: State, run: NodeRun) -> Draft:
    evidence = await run.evidence(shown_evidence(state))
    question = state["standalone_question"]
    matched = await asyncio.to_thread(answer_from_paths, question, evidence)
    if not matched.abstained:
        return matched
    tables = await run.read_tables(evidence)

    def search() -> Draft:
        # The first question loads the reader's weights, which would block the loop.
        reader = run.services.passage_reader
        kind = state["question_type"]
        return search_answer(question, kind, evidence, run.similarity(), tables, reader)

    return await asyncio.to_thread(search)
