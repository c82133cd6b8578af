"""Compression: the part of the evidence that lines up with the question's hops."""

from __future__ import annotations

from hoptrail.graphs.presets import REPORT_STRATEGIES
from hoptrail.graphs.state import State, Update
from hoptrail.graphs.step import Step


async def compress(state: State, step: Step) -> Update:
    """Keep what a graph walk from the question's entities reaches, where the choices ask for it."""
    chosen = step.preset.compress if step.context.compress is None else step.context.compress
    # Reports are no part of the graph that is walked.
    if not chosen or not state["retrieved"] or state["strategy"] in REPORT_STRATEGIES:
        return {"evidence": state["retrieved"]}
    evidence = await step.retrieve(
        "compress_evidence",
        question=f"{state['standalone_question']} {state['focus']}".strip(),
        references=state["retrieved"],
        budget=step.context.compressed_budget,
        hops=step.context.hops,
    )
    return {"evidence": evidence.references()}
