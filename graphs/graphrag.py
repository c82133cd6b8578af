"""The nodes of GraphRAG: reports chosen and dealt out, each batch mapped, one answer reduced."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from hoptrail.agents.graphrag.community_mapper import (
    PartialAnswer,
    batch_reports,
    map_by_similarity,
)
from hoptrail.agents.graphrag.community_mapper import map_communities as ask_about
from hoptrail.agents.graphrag.community_reducer import (
    answer_at_once,
    join_answers,
    reduce_answers,
)
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Community, Evidence, JsonDict, Usage
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.attempt import draft_or_fall_back
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import BatchState, State, Update, gathered, total_usage

_REDUCE_CALLS = 1
_TOKENS_BESIDE = 3_000
"""Tokens of a call beside its reports: those of its instructions and its reply."""


async def select_communities(state: State, run: NodeRun) -> Update:
    """Choose the reports that matter and deal them out in batches; each becomes one branch.

    No more is read than the calls and tokens that are left pay for.
    """
    spent = total_usage(state["usage"])
    found = await run.retrieve(
        "select_communities",
        question=state["standalone_question"],
        level=run.context.level,
        prefilter=run.context.prefilter,
        tokens=run.context.budget * max(1, _payable(run, spent)),
    )
    batches = await _deal_out(found, state, run)
    branches = _branches(batches, found.references(), state, run, spent)
    return {**gathered(found), "batches": branches}


async def _deal_out(
    found: Evidence, state: State, run: NodeRun
) -> Sequence[Mapping[int, Community]]:
    if state["strategy"] != "map_reduce":
        return ()
    model = run.model("reporter")
    count = estimate_tokens if model is None else await model.chat.token_counter()
    reports = [hit.item for hit in found.reports]
    return batch_reports(reports, run.context.budget, seed=run.context.seed, count=count)


def _branches(
    batches: Sequence[Mapping[int, Community]],
    references: JsonDict,
    state: State,
    run: NodeRun,
    spent: Usage,
) -> list[BatchState]:
    """Return what each branch is sent; calls and tokens are shared but for those of the reduce."""
    calls = max(0, run.context.max_model_calls - spent.llm_calls - _REDUCE_CALLS)
    tokens = max(0, run.context.max_tokens - spent.tokens - _tokens_of_a_call(run))
    return [
        BatchState(
            standalone_question=state["standalone_question"],
            preset=state["preset"],
            reports={"reports": [references["reports"][number - 1] for number in batch]},
            numbers=list(batch),
            started_at=state["started_at"],
            spent=state["usage"],
            # Calls that do not come out even go to the first branches.
            max_calls=spent.llm_calls + (calls + len(batches) - 1 - place) // len(batches),
            max_tokens=spent.tokens + tokens // len(batches),
        )
        for place, batch in enumerate(batches)
    ]


def _payable(run: NodeRun, spent: Usage) -> int:
    """Return how many batches can be read."""
    calls = run.context.max_model_calls - spent.llm_calls
    tokens = run.context.max_tokens - spent.tokens
    return min(calls, tokens // _tokens_of_a_call(run)) - _REDUCE_CALLS


def _tokens_of_a_call(run: NodeRun) -> int:
    return run.context.budget + _TOKENS_BESIDE


async def map_communities(state: BatchState, run: NodeRun) -> Update:
    """Write partial answers; without a call left the reports' own findings take their place."""
    reports = await run.read_reports(state["reports"], state["numbers"])
    answers = await ask_about(
        state["standalone_question"],
        reports,
        run.model("reporter"),
        run.services.embedder.embed,
        budget=run.context.budget,
    )
    return {"partial": [{"answers": [answer.to_json() for answer in answers]}]}


async def reduce(state: State, run: NodeRun) -> Update:
    """Compose the answer, from the reports themselves where one call can read all of them.

    Without a model it is the most helpful partial answers themselves.
    """
    draft, stop_reason = await draft_or_fall_back(
        lambda: _compose(state, run), lambda: _join(state, run), state, run
    )
    # A reply of no use leaves the partial answers as well.
    if draft.strategy != state["strategy"]:
        run.meter.degraded = True
    return {"draft": draft.to_json(), "strategy": draft.strategy, "stop_reason": stop_reason}


async def _compose(state: State, run: NodeRun) -> Draft:
    model, question = run.model("answerer"), state["standalone_question"]
    if model is None:
        return await _join(state, run)
    reports = await run.read_reports(state["retrieved"])
    budget, temperature = run.context.budget, run.context.temperature
    message_id = state["message_id"]
    if state["partial"]:
        return await reduce_answers(
            question,
            _partial_answers(state),
            reports,
            model,
            budget=budget,
            temperature=temperature,
            message_id=message_id,
        )
    draft = await answer_at_once(
        question, reports, model, budget=budget, temperature=temperature, message_id=message_id
    )
    return draft or await _join(state, run)


async def _join(state: State, run: NodeRun) -> Draft:
    reports = await run.read_reports(state["retrieved"])
    partial = _partial_answers(state)
    if not state["partial"]:
        question, embed = state["standalone_question"], run.services.embedder.embed
        partial = [*await asyncio.to_thread(map_by_similarity, question, reports, embed)]
    return join_answers(partial, reports, run.context.budget)


def _partial_answers(state: State) -> list[PartialAnswer]:
    """Return what the batches contribute; a single batch is not mapped, and contributes nothing."""
    return [
        PartialAnswer.from_json(answer) for batch in state["partial"] for answer in batch["answers"]
    ]
