"""The question answering graph: wiring only."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from hoptrail.graphs.context import Context
from hoptrail.graphs.dot import build_dot
from hoptrail.graphs.edges import (
    after_answer,
    after_layout,
    after_retrieval,
    after_route,
    after_step,
)
from hoptrail.graphs.nodes.answer import answer
from hoptrail.graphs.nodes.compress import compress
from hoptrail.graphs.nodes.contextualize import contextualize
from hoptrail.graphs.nodes.decompose import decompose
from hoptrail.graphs.nodes.finalize import finalize
from hoptrail.graphs.nodes.lay_out import collect, lay_out
from hoptrail.graphs.nodes.retrieve import retrieve
from hoptrail.graphs.nodes.retry import retarget, switch_strategy
from hoptrail.graphs.nodes.route import route
from hoptrail.graphs.nodes.solve_step import gather, solve_step
from hoptrail.graphs.nodes.verify import verify
from hoptrail.graphs.nodes.write_keywords import write_keywords
from hoptrail.graphs.state import QuestionInput, State
from hoptrail.graphs.step import Work, as_node

RECURSION_LIMIT = 60
"""Steps of one turn; each targeted round takes four."""

_GATHERING: tuple[Work, ...] = (
    retrieve,
    write_keywords,
    decompose,
    solve_step,
    gather,
    lay_out,
    collect,
)

Builder = StateGraph[State, Context, QuestionInput, State]
Graph = CompiledStateGraph[State, Context, QuestionInput, State]


def build_qa(defaults: Context | None = None) -> Builder:
    """Return the builder; compile it with a checkpointer to keep conversations.

    Args:
        defaults: What holds for context fields that a request leaves unset.
    """
    works = (compress, answer, switch_strategy, retarget, verify, finalize)
    builder = _with_retrieval(works, defaults)
    builder.add_conditional_edges("retrieve", after_retrieval)
    builder.add_conditional_edges("gather", after_retrieval)
    builder.add_conditional_edges("collect", after_retrieval)
    builder.add_edge("compress", "answer")
    builder.add_conditional_edges("answer", after_answer)
    builder.add_edge("switch_strategy", "answer")
    builder.add_edge("retarget", "compress")
    builder.add_edge("verify", "finalize")
    builder.add_edge("finalize", END)
    return builder


def build_gathering(defaults: Context | None = None) -> Builder:
    """Return the first half alone: the evidence that an answer call would be sent."""
    builder = _with_retrieval((compress,), defaults)
    builder.add_edge("retrieve", "compress")
    builder.add_edge("gather", "compress")
    builder.add_edge("collect", "compress")
    builder.add_edge("compress", END)
    return builder


def _with_retrieval(works: tuple[Work, ...], defaults: Context | None) -> Builder:
    """Return the nodes up to the retrieved evidence, wired, and further nodes, not yet wired."""
    builder: Builder = StateGraph(State, context_schema=Context, input_schema=QuestionInput)
    for work in (contextualize, route, *_GATHERING, *works):
        node = as_node(work, defaults, opens_turn=work is contextualize)
        builder.add_node(work.__name__, node)
    builder.add_edge(START, "contextualize")
    builder.add_edge("contextualize", "route")
    builder.add_conditional_edges("route", after_route)
    builder.add_edge("write_keywords", "retrieve")
    builder.add_edge("decompose", "solve_step")
    builder.add_conditional_edges("solve_step", after_step)
    builder.add_node("explore", build_dot(defaults).compile())
    builder.add_conditional_edges("lay_out", after_layout, ["explore", "retrieve"])
    builder.add_edge("explore", "collect")
    return builder


graph: Any = build_qa().compile().with_config(recursion_limit=RECURSION_LIMIT)
