"""The reports of runs over files and over communities, as `--json` prints them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from time import perf_counter
from typing import Literal

from hoptrail.core.tracing.spans import span
from hoptrail.core.types import Document, NodeUsage, Record, Usage
from hoptrail.indexing.embedding import EmbeddingAccount, EmbeddingForecast
from hoptrail.indexing.loading.files import Skipped
from hoptrail.indexing.spending import SpendingLimit

Stage = Literal["load", "extract", "embed", "store"]


@dataclass(frozen=True, slots=True)
class FailedChunk(Record):
    """A chunk that the extractor could not read; `place` is such as "page 3" where one is known."""

    chunk_id: str
    reason: str
    doc_id: str = ""
    place: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentCounts(Record):
    """Documents of this run by what became of them; `failed` ones have a failed chunk.

    `moved` counts those that have another id and are as they were else: their files lie elsewhere,
    or the id was of an older format.
    `skipped` counts inputs that could not be used, files and lines of files.
    """

    added: int = 0
    replaced: int = 0
    moved: int = 0
    deleted: int = 0
    unchanged: int = 0
    skipped: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class PassagesRead(Record):
    """Passages that this run has read for entities and relations, by who read them.

    `failed` counts those that the model was given in vain; rules have read them instead.
    """

    by_model: int = 0
    by_rules: int = 0
    failed: int = 0

    def __add__(self, other: PassagesRead) -> PassagesRead:
        return PassagesRead(
            self.by_model + other.by_model,
            self.by_rules + other.by_rules,
            self.failed + other.failed,
        )


@dataclass(frozen=True, slots=True)
class MovedDocument(Record):
    """A document that got another id, and kept all that was read in it."""

    former_id: str
    doc_id: str


@dataclass(frozen=True, slots=True)
class ImportedIndex(Record):
    """An index folder of another program that was imported whole.

    `untyped_entities` are named by relations only, `incomplete_relations` are those relations.
    """

    path: str
    entities: int
    untyped_entities: int
    relations: int
    incomplete_relations: int
    communities: int
    reports: int


@dataclass(frozen=True, slots=True)
class StageSeconds(Record):
    """Wall-clock seconds by stage."""

    load: float = 0.0
    extract: float = 0.0
    embed: float = 0.0
    store: float = 0.0


@dataclass(frozen=True, slots=True)
class IndexReport(Record):
    """One run: its documents, the size of the whole base after it, and what it took.

    `deleted` are ids of documents that the run has deleted, `gone` of those that it kept though
    their files are gone from the folders that it has walked; `moved` are those with another id.
    `resumable` tells that the same command has something left to do, such as failed chunks; `notes`
    are lines about what went other than it should. `duplicates` are the ids of documents that the
    run has read and that have the same text, each group in the order of their reading.
    """

    documents: DocumentCounts
    chunks: int
    entities: int
    relations: int
    read: PassagesRead = field(default_factory=PassagesRead)
    skipped: tuple[Skipped, ...] = ()
    failed: tuple[FailedChunk, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: StageSeconds = field(default_factory=StageSeconds)
    resumable: bool = False
    imported: tuple[ImportedIndex, ...] = ()
    notes: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    moved: tuple[MovedDocument, ...] = ()
    duplicates: tuple[tuple[str, ...], ...] = ()


class RunLog:
    """Collects what a run does while it goes on.

    Attributes:
        limit: What the run may spend, on whatever it calls.
        outcomes: What became of each document that the run has met: "added", "replaced", "moved" or
            "unchanged", by id.
        former_ids: Ids that documents of the run had before, by id.
        read: Passages that the run has read.

    Args:
        max_usd: Dollars of that limit, None for any.
        limit: The limit itself, where more than this log spends from it.
    """

    def __init__(self, max_usd: float | None = None, *, limit: SpendingLimit | None = None) -> None:
        self.limit = limit or SpendingLimit(max_usd)
        self.outcomes: dict[str, str] = {}
        self.former_ids: dict[str, str] = {}
        self.skipped: list[Skipped] = []
        self.imported: list[ImportedIndex] = []
        self.deleted: list[str] = []
        self.gone: list[str] = []
        self.read = PassagesRead()
        self.usage = Usage()
        self.notes: list[str] = []
        self._ids_by_text: dict[bytes, list[str]] = {}
        self._clock = StageClock()

    def spend(self, usage: NodeUsage) -> None:
        """Book the usage of extraction."""
        self.usage = self.usage.add("extract", usage)

    def book_embedding(self, account: EmbeddingAccount) -> None:
        """Book what an embedder spent, where it is one that is called, and its notes."""
        self.usage = account.added_to(self.usage)
        self.notes += (note for note in account.meter.notes if note not in self.notes)

    def note_text(self, document: Document) -> None:
        """Note what a document says, to tell which others say the same."""
        if text := document.text.strip():
            digest = sha256(text.encode()).digest()
            self._ids_by_text.setdefault(digest, []).append(document.id)

    def duplicates(self) -> tuple[tuple[str, ...], ...]:
        """Return the ids of the documents that say the same, group by group."""
        return tuple(tuple(ids) for ids in self._ids_by_text.values() if len(ids) > 1)

    def timed(self, stage: Stage) -> AbstractContextManager[None]:
        """Add the time spent inside to a stage."""
        return self._clock.timed(stage)

    @property
    def seconds(self) -> StageSeconds:
        """Seconds by stage, to the millisecond."""
        return StageSeconds(**self._clock.seconds)

    def moved(self) -> tuple[MovedDocument, ...]:
        """Return the documents that have another id now, by that id."""
        return tuple(MovedDocument(self.former_ids[id_], id_) for id_ in sorted(self.former_ids))

    def counts(self, failed_documents: set[str]) -> DocumentCounts:
        """Return the documents by outcome."""
        outcomes = list(self.outcomes.values())
        return DocumentCounts(
            added=outcomes.count("added"),
            replaced=outcomes.count("replaced"),
            moved=outcomes.count("moved"),
            deleted=len(self.deleted),
            unchanged=outcomes.count("unchanged"),
            skipped=len(self.skipped),
            failed=len(failed_documents & self.outcomes.keys()),
        )


class StageClock:
    """Adds up the wall-clock seconds of stages, each of which may go on several times."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the time spent inside to a stage."""
        begin = perf_counter()
        try:
            with span(f"stage {stage}", {"openinference.span.kind": "CHAIN"}):
                yield
        finally:
            self._seconds[stage] = self._seconds.get(stage, 0.0) + perf_counter() - begin

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds by stage, to the millisecond."""
        return {stage: round(spent, 3) for stage, spent in self._seconds.items()}


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
