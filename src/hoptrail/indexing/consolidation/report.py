"""Report and forecast of tidying a graph."""

from __future__ import annotations

from dataclasses import dataclass, field

from hoptrail.core.types import Record, Usage
from hoptrail.indexing.embedding_forecast import EmbeddingForecast


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
    """An estimate of a run; `usd` is None where the price of a model or embedder is not known.

    `embedding` is at most what the vectors of the entities take that the model is asked about.
    """

    types: int
    entities: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    embedding: EmbeddingForecast = field(default_factory=EmbeddingForecast)
