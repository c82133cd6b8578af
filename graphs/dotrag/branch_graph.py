"""The graph of one DOT, a branch of the search along paths: wiring only."""

from __future__ import annotations

from typing import Literal

from langgraph.graph import END, START, StateGraph

from hoptrail.graphs.context import Context
from hoptrail.graphs.dotrag.branch_nodes import constrain, judge, report, search
from hoptrail.graphs.dotrag.branch_state import DotInput, DotOutput, DotState
from hoptrail.graphs.node_run import as_node


def after_judging(state: DotState) -> Literal["search", "report"]:
    """A search goes on while there is something left to ask."""
    return "search" if state["queries"] else "report"


def build_dot(
    defaults: Context | None = None,
) -> StateGraph[DotState, Context, DotInput, DotOutput]:
    """Return the builder of a branch.

    Args:
        defaults: What holds for context fields that a request leaves unset.
    """
    builder: StateGraph[DotState, Context, DotInput, DotOutput] = StateGraph(
        DotState, context_schema=Context, input_schema=DotInput, output_schema=DotOutput
    )
    for work in (constrain, search, judge, report):
        builder.add_node(work.__name__, as_node(work, defaults, degrades_as="explore"))
    builder.add_edge(START, "constrain")
    builder.add_edge("constrain", "search")
    builder.add_edge("search", "judge")
    builder.add_conditional_edges("judge", after_judging)
    builder.add_edge("report", END)
    return builder
