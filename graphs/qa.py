"""The question answering graph: wiring only."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from hoptrail.graphs.context import Context
from hoptrail.graphs.cypher import query_graph
from hoptrail.graphs.dagr import decompose, gather, solve_step
from hoptrail.graphs.dotrag import (
    DotInput,
    DotOutput,
    DotState,
    collect,
    constrain,
    judge,
    lay_out,
    report,
    search,
)
from hoptrail.graphs.graphrag import map_communities, reduce, select_communities
from hoptrail.graphs.node_run import Work, as_node
from hoptrail.graphs.nodes.answer import answer
from hoptrail.graphs.nodes.compress import compress
from hoptrail.graphs.nodes.contextualize import contextualize
from hoptrail.graphs.nodes.finalize import finalize
from hoptrail.graphs.nodes.grow import grow
from hoptrail.graphs.nodes.retrieve import retrieve, write_keywords
from hoptrail.graphs.nodes.retry import escalate, retarget, settle, switch_strategy
from hoptrail.graphs.nodes.route import route
from hoptrail.graphs.nodes.verify import verify
from hoptrail.graphs.state import QuestionInput, State
from hoptrail.graphs.tables import query_tables
from hoptrail.graphs.traced_graph import TracedGraph
from hoptrail.graphs.transitions import (
    after_answer,
    after_attempt,
    after_contextualize,
    after_escalation,
    after_growth,
    after_judging,
    after_layout,
    after_query,
    after_query_alone,
    after_retrieval,
    after_route,
    after_selection,
    after_selection_alone,
    after_step,
    after_switch,
)

RECURSION_LIMIT = 100
"""Steps of one turn; each targeted round takes four, and a second preset begins anew."""

_GATHERING: tuple[Work, ...] = (
    retrieve,
    write_keywords,
    decompose,
    solve_step,
    gather,
    lay_out,
    collect,
    query_graph,
    query_tables,
    select_communities,
    switch_strategy,
)

Builder = StateGraph[State, Context, QuestionInput, State]
Graph = CompiledStateGraph[State, Context, QuestionInput, State]


def build_qa(defaults: Context | None = None) -> Builder:
    """Return the builder of the graph, for a compilation other than that of `compile_qa`.

    Args:
        defaults: What holds for context fields that a request leaves unset.
    """
    works = (compress, answer, retarget, verify, grow, escalate, settle, finalize)
    builder = _with_retrieval((map_communities, reduce, *works), defaults)
    builder.add_conditional_edges("contextualize", after_contextualize)
    builder.add_conditional_edges(
        "select_communities",
        after_selection,
        ["map_communities", "reduce", "answer", "switch_strategy"],
    )
    builder.add_edge("map_communities", "reduce")
    builder.add_conditional_edges("reduce", after_answer)
    builder.add_conditional_edges("switch_strategy", after_switch)
    builder.add_conditional_edges("retrieve", after_retrieval)
    builder.add_conditional_edges("gather", after_retrieval)
    builder.add_conditional_edges("collect", after_retrieval)
    builder.add_conditional_edges("query_graph", after_query)
    builder.add_conditional_edges("query_tables", after_query)
    builder.add_edge("compress", "answer")
    builder.add_conditional_edges("answer", after_answer)
    builder.add_edge("retarget", "compress")
    builder.add_conditional_edges("verify", after_attempt)
    builder.add_conditional_edges("grow", after_growth)
    builder.add_conditional_edges("escalate", after_escalation)
    builder.add_edge("settle", "finalize")
    builder.add_edge("finalize", END)
    return builder


def build_gathering() -> Builder:
    """Return the first half alone: the evidence that an answer call would be sent."""
    builder = _with_retrieval((compress,))
    builder.add_edge("contextualize", "route")
    builder.add_conditional_edges("select_communities", after_selection_alone)
    builder.add_conditional_edges("switch_strategy", after_route)
    builder.add_conditional_edges("query_graph", after_query_alone)
    builder.add_conditional_edges("query_tables", after_query_alone)
    builder.add_edge("retrieve", "compress")
    builder.add_edge("gather", "compress")
    builder.add_edge("collect", "compress")
    builder.add_edge("compress", END)
    return builder


def _with_retrieval(works: tuple[Work, ...], defaults: Context | None = None) -> Builder:
    """Return the nodes up to the retrieved evidence, wired, and further nodes, not yet wired."""
    builder: Builder = StateGraph(State, context_schema=Context, input_schema=QuestionInput)
    for work in (contextualize, route, *_GATHERING, *works):
        node = as_node(work, defaults, opens_turn=work is contextualize)
        builder.add_node(work.__name__, node)
    builder.add_edge(START, "contextualize")
    builder.add_conditional_edges("route", after_route)
    builder.add_edge("write_keywords", "retrieve")
    builder.add_edge("decompose", "solve_step")
    builder.add_conditional_edges("solve_step", after_step)
    builder.add_node("explore", build_dot(defaults).compile())
    builder.add_conditional_edges("lay_out", after_layout, ["explore", "retrieve"])
    builder.add_edge("explore", "collect")
    return builder


def build_dot(
    defaults: Context | None = None,
) -> StateGraph[DotState, Context, DotInput, DotOutput]:
    """Return the builder of one DOT, a branch of the search along paths."""
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


def compile_qa(defaults: Context | None = None) -> Graph:
    """Return the compiled graph with room for the longest turn.

    Args:
        defaults: What holds for context fields that a request leaves unset.
    """
    compiled = build_qa(defaults).compile()
    return TracedGraph.of(compiled).with_config(recursion_limit=RECURSION_LIMIT)


graph: Any = compile_qa()
