"""Report and forecast of tidying a graph."""

from __future__ import annotations

from dataclasses import dataclass, field

from hoptrail.core.types import Record, Usage


@dataclass(frozen=True, slots=True)
class ConsolidationReport(Record):
    """The decisions of a run.

    Attributes:
        merged: Pairs of entities found to be one.
        apart: Pairs found to be two.
        labelled: Type names brought into the schema.
        unlabelled: Type names that the model gave no type of the schema.
        failed: Calls without a usable reply; the same command asks them again.
        usage: What it took.
    """

    merged: int = 0
    apart: int = 0
    labelled: int = 0
    unlabelled: int = 0
    failed: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class ConsolidationForecast(Record):
    """An estimate of a run; `usd` is None where the model's price is not known."""

    types: int
    entities: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
