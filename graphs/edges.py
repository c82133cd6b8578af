"""Where a run goes next: decisions read from the state alone."""

from __future__ import annotations

from typing import Literal

from langgraph.types import Send

from hoptrail.core.types import JsonDict
from hoptrail.graphs.dot_state import DotState
from hoptrail.graphs.presets import PRESETS, Search
from hoptrail.graphs.state import State

Gathering = Literal["retrieve", "write_keywords", "decompose", "lay_out"]

_GATHERING: dict[Search, Gathering] = {
    "once": "retrieve",
    "by_keyword": "write_keywords",
    "by_sub_question": "decompose",
    "by_path": "lay_out",
}


def after_retrieval(state: State) -> Literal["compress", "finalize"]:
    """Without any evidence there is nothing to read, and only a closed book needs none."""
    is_closed = state["strategy"] == "closed_book"
    return "compress" if is_closed or _holds_items(state["retrieved"]) else "finalize"


def after_route(state: State) -> Gathering:
    """The preset says how evidence is gathered."""
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
    """A search goes on while there is something left to ask."""
    return "search" if state["queries"] else "report"


def after_answer(
    state: State,
) -> Literal["switch_strategy", "retarget", "verify", "finalize"]:
    """An abstention is retried: the other strategy first, then a second, targeted retrieval."""
    if state["draft"]["answers"]:
        return "verify"
    if state["stop_reason"]:
        return "finalize"
    preset = PRESETS[state["preset"]]
    other = preset.alternatives.get(state["strategy"])  # type: ignore[call-overload]
    if other is not None and other not in state["tried"]:
        return "switch_strategy"
    if state["missing"] and state["rounds_left"] > 0:
        return "retarget"
    return "finalize"


def _holds_items(references: JsonDict) -> bool:
    return any(references.values())
