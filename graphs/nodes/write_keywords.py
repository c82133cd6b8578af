"""Planning: the names and themes that a dual-level retrieval searches by."""

from __future__ import annotations

from hoptrail.agents.planning.keyword_writer import write_keywords as choose
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, Update


async def write_keywords(state: State, run: NodeRun) -> Update:
    """Write keywords of both levels; without a model the retriever takes the question's own."""
    levels = await choose(state["standalone_question"], run.model("decomposer"))
    return {"keywords": {"entities": list(levels.entities), "keywords": list(levels.themes)}}
