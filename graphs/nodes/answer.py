"""Answering: by a model's prompt, else by searching the evidence itself."""

from __future__ import annotations

import asyncio
from typing import cast

from hoptrail.agents.answerer import PromptingStrategy
from hoptrail.agents.answerer import answer as write_answer
from hoptrail.agents.draft import Draft
from hoptrail.agents.graph_searcher import search_answer
from hoptrail.agents.path_answerer import answer_from_paths
from hoptrail.core.errors import BudgetExceededError, HoptrailError, ModelUnavailableError
from hoptrail.core.render import render
from hoptrail.core.types import Evidence, QuestionType
from hoptrail.graphs.state import State, Update, total_usage
from hoptrail.graphs.step import Step


async def answer(state: State, step: Step) -> Update:
    """Draft an answer; a model that is down or a spent budget leaves it to graph search."""
    evidence = await step.evidence(state["evidence"])
    strategy = state["strategy"]
    stop_reason = ""
    if strategy == "graph_search" or step.model("answerer") is None:
        draft = await _search(state, step, evidence)
    else:
        try:
            draft = await _prompt(state, step, evidence)
        except (ModelUnavailableError, BudgetExceededError) as error:
            stop_reason = _stop_reason(error, state, step)
            draft = await _search(state, step, evidence)
    missing = draft.missing if draft.abstained else None
    return {
        "draft": draft.to_json(),
        "strategy": draft.strategy,
        "tried": [*state["tried"], strategy],
        # A retry by another strategy may abstain without saying what it lacks.
        "missing": missing.to_json() if missing is not None else state["missing"],
        "stop_reason": stop_reason,
    }


def _stop_reason(error: HoptrailError, state: State, step: Step) -> str:
    spent = total_usage(state["usage"])
    was_heard = spent.completion_tokens + step.meter.usage.completion_tokens > 0
    # Tries that nobody answered use up the calls: then the model is the reason, not the budget.
    if isinstance(error, BudgetExceededError) and (was_heard or spent.llm_calls == 0):
        return error.kind
    return "model_unavailable"


async def _prompt(state: State, step: Step, evidence: Evidence) -> Draft:
    model = step.services.models.for_role("answerer")
    rendered = render(evidence, step.context.budget, await model.token_counter())
    return await write_answer(
        state["standalone_question"],
        rendered,
        cast(PromptingStrategy, state["strategy"]),
        model,
        step.meter,
        temperature=step.context.temperature,
        message_id=state["message_id"],
        prompts_dir=step.services.prompts_dir,
    )


async def _search(state: State, step: Step, evidence: Evidence) -> Draft:
    matched = answer_from_paths(evidence)
    if not matched.abstained:
        return matched
    question = state["standalone_question"]
    question_type = cast(QuestionType, state["question_type"])
    return await asyncio.to_thread(
        search_answer, question, question_type, evidence, step.services.embed
    )
