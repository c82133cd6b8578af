"""Compression: the part of the evidence that lines up with the question's hops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hoptrail.core.passages import in_reading_order
from hoptrail.core.render import passage_tokens
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.presets import REPORT_STRATEGIES
from hoptrail.graphs.state import State, Update, shown_evidence


async def compress(state: State, run: NodeRun) -> Update:
    """Keep what a graph walk from the question's entities reaches, where the choices ask for it.

    Where evidence grows, a prompt shows passages alone, and as many as the first call is to read.
    """
    # Reports are no part of the graph that is walked.
    if not state["retrieved"] or state["strategy"] in REPORT_STRATEGIES:
        return {"evidence": {}}
    is_cut = shows_passages_alone(run)
    chosen = run.preset.compress if run.context.compress is None else run.context.compress
    evidence = await _walk(state, run, is_cut) if chosen else None
    if is_cut:
        # Who asks for no compression gets the whole budget in passages.
        is_whole = run.context.compress is False
        budget = run.context.budget if is_whole else run.context.compressed_budget
        most = None if is_whole else run.preset.passages
        evidence = passages_alone(
            evidence or await run.evidence(shown_evidence(state)), budget, most
        )
    elif run.preset.passages is not None and not run.preset.grows:
        evidence = first_passages(await run.evidence(shown_evidence(state)), run.preset.passages)
    if evidence is None:
        return {"evidence": state["evidence"]}
    return {"evidence": evidence.references(), "summary": evidence.summary()}


def shows_passages_alone(run: NodeRun) -> bool:
    """Return whether prompts leave relations out: there are passages, and a prompt is read."""
    if not run.preset.grows or run.services.has_graph_only:
        return False
    return not run.services.models.is_graph_llm("answerer")


def passages_alone(evidence: Evidence, budget: int, most: int | None = None) -> Evidence:
    """Return the paths that were judged, and the passages that fit beside them, best first.

    Args:
        evidence: What was found.
        budget: Tokens of passages.
        most: How many passages at most.
    """
    chunks = in_reading_order(fitting(evidence.chunks[:most], budget))
    return Evidence(chunks=chunks, paths=evidence.paths)


def first_passages(evidence: Evidence, limit: int) -> Evidence:
    """Return the first passages, up to a limit, without their place in the graph."""
    return Evidence(chunks=tuple(replace(hit, hop=None) for hit in evidence.chunks[:limit]))


def fitting(hits: Iterable[Hit[Chunk]], budget: int) -> tuple[Hit[Chunk], ...]:
    """Return the passages up to the budget in tokens, without their place in the graph."""
    kept: list[Hit[Chunk]] = []
    for hit in hits:
        budget -= passage_tokens(hit.item)
        if budget < 0 and kept:
            break
        kept.append(replace(hit, hop=None))
    return tuple(kept)


async def _walk(state: State, run: NodeRun, is_cut: bool) -> Evidence:
    return await run.retrieve(
        "compress_evidence",
        question=f"{state['standalone_question']} {state['focus']}".strip(),
        references=state["retrieved"],
        budget=run.context.compressed_budget,
        hops=run.context.hops,
        **({"graph_share": 0.0} if is_cut else {}),
    )
