"""Compression: the part of the evidence that lines up with the question's hops."""

from __future__ import annotations

from hoptrail.graphs.state import State, Update
from hoptrail.graphs.step import Step


async def compress(state: State, step: Step) -> Update:
    """Keep what a graph walk from the question's entities reaches, where the choices ask for it."""
    chosen = step.context.compress
    if not state["retrieved"] or not (step.preset.compress if chosen is None else chosen):
        return {"evidence": state["retrieved"]}
    evidence = await step.retrieve(
        "compress_evidence",
        question=f"{state['standalone_question']} {state['focus']}".strip(),
        references=state["retrieved"],
        budget=step.context.compressed_budget,
        hops=step.context.hops,
    )
    return {"evidence": evidence.references()}
