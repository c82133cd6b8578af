"""Which reports are read for a question about the whole, and who reads which of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hoptrail.agents.graphrag.community_mapper import batch_reports
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Community, Evidence, JsonDict, Usage
from hoptrail.graphs.batch_state import BatchState
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update, total_usage

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
    references = found.references()
    batches = await _deal_out(found, state, run)
    return {
        "retrieved": references,
        "evidence": {},
        "summary": found.summary(),
        "batches": _branches(batches, references, state, run, spent),
    }


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
