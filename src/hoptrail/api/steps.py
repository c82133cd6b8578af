"""The steps of an answer in words, for whoever waits for it."""

from __future__ import annotations

from types import MappingProxyType

FIRST_STEP = "reading the question"
NEXT_STEP = MappingProxyType(
    {
        "contextualize": "telling what kind of question it is",
        "route": "searching",
        "write_keywords": "searching",
        "decompose": "answering part by part",
        "solve_step": "answering part by part",
        "gather": "answering",
        "lay_out": "following paths",
        "explore": "following paths",
        "collect": "answering",
        "query_graph": "checking the answer",
        "select_communities": "reading reports",
        "map_communities": "joining what the reports say",
        "reduce": "checking the answer",
        "retrieve": "answering",
        "compress": "answering",
        "switch_strategy": "answering in another way",
        "answer": "checking the answer",
        "retarget": "searching again",
        "verify": "finishing",
        "grow": "reading on",
        "escalate": "searching in another way",
        "settle": "finishing",
        "finalize": "finishing",
    }
)
"""The step that usually comes after a node of the graph, in words."""


def reading_step(tokens: int, seconds: float | None) -> str:
    """Return that a model of this machine reads, how much and about how long, in words."""
    about = "" if seconds is None else f", about {seconds:,.0f} s"
    return f"reading {tokens:,} tokens{about}"
