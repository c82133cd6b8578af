"""State of one batch of community reports, a branch of an answer about the whole."""

from __future__ import annotations

from typing_extensions import TypedDict

from hoptrail.core.types import JsonDict


class BatchState(TypedDict):
    """The input of a branch.

    `reports` are references to the batch, `numbers` the numbers that its reports bear. `max_calls`
    and `max_tokens` are what the turn may have spent once this branch has had its share, `spent`
    what it spent before.
    """

    standalone_question: str
    preset: str
    reports: JsonDict
    numbers: list[int]
    started_at: float
    spent: JsonDict
    max_calls: int
    max_tokens: int
