"""Report and forecast of a run over the communities."""

from __future__ import annotations

from dataclasses import dataclass, field

from hoptrail.core.types import Record, Usage
from hoptrail.indexing.embedding import EmbeddingForecast


@dataclass(frozen=True, slots=True)
class LevelOutcome(Record):
    """The reports of one level, 0 being the coarsest.

    Attributes:
        level: Which level.
        communities: Communities on it.
        reported: Those that have a report now.
        reused: Reports that were there and stayed.
        made: Reports written in this run, by the model or without one.
        dropped: Replies of the model without any reference that holds; a report without a model
            stands in their place, and the model is not asked again.
    """

    level: int
    communities: int
    reported: int
    reused: int
    made: int
    dropped: int


@dataclass(frozen=True, slots=True)
class FailedReport(Record):
    """A community that the model gave no readable report on; the next run asks it again."""

    community_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class CommunitySeconds(Record):
    """Wall-clock seconds by stage."""

    cluster: float = 0.0
    report: float = 0.0
    embed: float = 0.0
    store: float = 0.0


@dataclass(frozen=True, slots=True)
class CommunitiesReport(Record):
    """One run: its levels from the coarsest to the finest, and what it took.

    `resumable` tells that the same command has something left to do.
    """

    levels: tuple[LevelOutcome, ...] = ()
    failed: tuple[FailedReport, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: CommunitySeconds = field(default_factory=CommunitySeconds)
    resumable: bool = False


@dataclass(frozen=True, slots=True)
class CommunityForecast(Record):
    """Estimates: communities, model calls, their tokens, dollars and minutes.

    `usd` is of the model and of a remote embedder together: None where the price of one of them is
    not known, 0 where neither is called.
    """

    communities: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    minutes: float
    embedding: EmbeddingForecast = field(default_factory=EmbeddingForecast)
