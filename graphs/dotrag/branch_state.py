"""State of one branch of DotRAG: the search that starts at one concept."""

from __future__ import annotations

import operator
from typing import Annotated, Any

from typing_extensions import TypedDict

from hoptrail.core.types import JsonDict
from hoptrail.graphs.state import add_notes, add_usage


class DotInput(TypedDict):
    """The input of a branch.

    `concept` is where it starts, in words, `anchors` the ids of its entities. `max_calls` is the
    turn's number of model calls after which this branch goes on without a model, `spent` what the
    turn spent before it.
    """

    standalone_question: str
    concept: JsonDict
    anchors: list[str]
    started_at: float
    spent: JsonDict
    max_calls: int


class DotOutput(TypedDict):
    """The output of a branch: one record, its account and notes, and its degradations."""

    dots: Annotated[list[JsonDict], operator.add]
    usage: Annotated[JsonDict, add_usage]
    notes: Annotated[list[str], add_notes]
    degraded: Annotated[list[str], add_notes]


class DotState(DotInput, DotOutput, total=False):
    """The branch's own channels.

    `rules` are the JSON form of the constraints, `queries` those of the next round, `searched` all
    so far, `judged` the ids of entities whose paths were judged, `batch` references to the round's
    paths, `begun` those of the last round that lead on (None before the first), `kept` those that
    are worth keeping, and `rounds` an account of each round.
    """

    rules: JsonDict
    queries: list[str]
    searched: list[str]
    judged: list[str]
    batch: JsonDict
    begun: list[list[Any]] | None
    kept: list[list[Any]]
    rounds: list[JsonDict]
