"""Where a run goes next: decisions read from the state alone.

LangGraph takes a router's targets from its return type, so that Studio draws every edge.
"""

from __future__ import annotations

from typing import Literal

from langgraph.types import Send

from hoptrail.agents.planning.turns import is_thanks
from hoptrail.core.types import JsonDict
from hoptrail.graphs.attempt import is_settled, may_grow, needs_other_method
from hoptrail.graphs.dotrag import DotState
from hoptrail.graphs.presets import PRESETS, REPORT_STRATEGIES, Search
from hoptrail.graphs.saved_answer import is_saved
from hoptrail.graphs.state import State

Gathering = Literal[
    "retrieve",
    "write_keywords",
    "decompose",
    "lay_out",
    "query_graph",
    "query_tables",
    "select_communities",
]
End = Literal["grow", "escalate", "settle", "finalize"]

_GATHERING: dict[Search, Gathering] = {
    "once": "retrieve",
    "by_keyword": "write_keywords",
    "by_sub_question": "decompose",
    "by_path": "lay_out",
    "by_query": "query_graph",
    "by_table": "query_tables",
}


def after_contextualize(state: State) -> Literal["route", "finalize"]:
    """Thanks are no question, and a saved answer is there already: nothing is searched."""
    return "finalize" if is_thanks(state["asked"]) or is_saved(state) else "route"


def after_retrieval(state: State) -> Literal["compress", End]:
    """Without any evidence there is nothing to read, and only a closed book needs none.

    A run that has stopped for want of a model, or whose query gave no answer, shows what was found.
    """
    if state["stop_reason"] or state["strategy"] in {"cypher", "tables"}:
        return after_attempt(state)
    is_closed = state["strategy"] == "closed_book"
    if is_closed or _holds_items(state["retrieved"]):
        return "compress"
    return after_attempt(state)


def after_route(state: State) -> Gathering:
    """The preset says how evidence is gathered, unless reports are to answer.

    A run without the model that it needs looks up passages alone.
    """
    if state["stop_reason"]:
        return "retrieve"
    if state["strategy"] in REPORT_STRATEGIES:
        return "select_communities"
    return _GATHERING[PRESETS[state["preset"]].search]


def after_step(state: State) -> Literal["solve_step", "gather"]:
    """Every sub-question is asked before the question itself is."""
    return "solve_step" if len(state["steps"]) < len(state["sub_questions"]) else "gather"


def after_layout(state: State) -> list[Send] | Literal["retrieve"]:
    """One branch per concept, all at once; without any anchor the question itself is searched."""
    if not state["branches"]:
        return "retrieve"
    return [Send("explore", branch) for branch in state["branches"]]


def after_judging(state: DotState) -> Literal["search", "report"]:
    """A branch's search goes on while there is something left to ask."""
    return "search" if state["queries"] else "report"


def after_query(state: State) -> Literal["verify", "retrieve"]:
    """The rows of a query are the answer; without any, the nearest passages are looked up."""
    return "verify" if state["draft"]["answers"] else "retrieve"


def after_query_alone(state: State) -> Literal["compress", "retrieve"]:
    """The evidence is all that the rows were matched from, else the nearest passages."""
    return "compress" if state["draft"]["answers"] else "retrieve"


def after_selection(state: State) -> list[Send] | Literal["reduce", "answer", "switch_strategy"]:
    """One branch per batch, all at once; where one call can read all, it answers.

    Without a model the reports are read directly.
    """
    if not _holds_items(state["retrieved"]):
        return "switch_strategy"
    if state["strategy"] == "extractive":
        return "answer"
    if len(state["batches"]) == 1:
        return "reduce"
    return [Send("map_communities", batch) for batch in state["batches"]]


def after_selection_alone(state: State) -> Literal["compress", "switch_strategy"]:
    """The selected reports are the evidence, if there are any."""
    return "compress" if _holds_items(state["retrieved"]) else "switch_strategy"


def after_switch(state: State) -> Literal[Gathering, "answer"]:
    """The other prompt reads the same evidence, where that is kept."""
    return "answer" if state["retrieved"] else after_route(state)


def after_answer(
    state: State,
) -> Literal["switch_strategy", "retarget", "verify", End]:
    """An abstention is retried: the other strategy first, then a second, targeted retrieval.

    Where evidence grows, what an abstention has established is checked like an answer.
    """
    preset = PRESETS[state["preset"]]
    if state["draft"]["answers"]:
        return "verify"
    if state["stop_reason"]:
        return after_attempt(state)
    if preset.grows:
        return "verify"
    other = preset.alternatives.get(state["strategy"])
    if other is not None and other not in state["tried"]:
        return "switch_strategy"
    if state["missing"] and state["rounds_left"] > 0:
        return "retarget"
    return after_attempt(state)


def after_attempt(state: State) -> End:
    """An answer that does not verify is tried again; of several attempts the better one is given.

    Evidence grows where the preset lets it, else the next preset begins anew.
    """
    if may_grow(state) and not (state["stop_reason"] or is_settled(state)):
        return "grow"
    if state["course"] and needs_other_method(state):
        return "escalate"
    return "settle" if state["attempts"] else "finalize"


def after_escalation(state: State) -> Literal[Gathering, "finalize"]:
    """The next preset gathers its own evidence; a spent budget leaves the first answer."""
    return "finalize" if state["stop_reason"] else after_route(state)


def after_growth(state: State) -> Literal["answer", End]:
    """New evidence is read; without any, growth is over."""
    return after_attempt(state) if state["stop_reason"] else "answer"


def _holds_items(references: JsonDict) -> bool:
    return any(references.values())
