"""Compression: the part of the evidence that lines up with the question's hops."""

from __future__ import annotations

from dataclasses import replace

from hoptrail.core.types import Evidence
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.presets import REPORT_STRATEGIES
from hoptrail.graphs.state import State, Update


async def compress(state: State, run: NodeRun) -> Update:
    """Keep what a graph walk from the question's entities reaches, where the choices ask for it."""
    chosen = run.preset.compress if run.context.compress is None else run.context.compress
    # Reports are no part of the graph that is walked.
    if not chosen or not state["retrieved"] or state["strategy"] in REPORT_STRATEGIES:
        return {"evidence": state["retrieved"]}
    evidence = await run.retrieve(
        "compress_evidence",
        question=f"{state['standalone_question']} {state['focus']}".strip(),
        references=state["retrieved"],
        budget=run.context.compressed_budget,
        hops=run.context.hops,
        **({"graph_share": 0.0} if run.preset.grows else {}),
    )
    if run.preset.grows and evidence.chunks:
        evidence = _passages_alone(evidence)
    return {"evidence": evidence.references()}


def _passages_alone(evidence: Evidence) -> Evidence:
    """Return the passages in their order: lines of relations were never what answered."""
    return Evidence(chunks=tuple(replace(hit, hop=None) for hit in evidence.chunks))
