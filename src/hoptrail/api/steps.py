"""The steps of an answer in words, for whoever waits for it."""

from __future__ import annotations

from types import MappingProxyType

from hoptrail.core.types import ReadingEvent, WaitingEvent

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
        "query_tables": "checking the answer",
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


def waiting_step(event: WaitingEvent) -> str:
    """Return that a model of this machine answers others first, in words."""
    questions = "1 question" if event.ahead == 1 else f"{event.ahead} questions"
    return f"waiting: {questions} before this one"


def reading_step(event: ReadingEvent) -> str:
    """Return that a model of this machine reads, how much and about how long yet, in words."""
    left = event.tokens - event.read
    if not left:
        return "beginning to write"
    amount = f"{event.tokens:,} tokens" if not event.read else f"{left:,} more tokens"
    if event.seconds is None or not event.tokens:
        return f"reading {amount}"
    return f"reading {amount}, about {event.seconds * left / event.tokens:,.0f} s"


DRAFT_STEP = "writing a draft, to be checked"
