"""Indexes one shard: a function of its task, in any process on any machine.

What it stores is the shard's own folder. A run that was killed is continued by the same task. Of a
shard that is done only files are read that are new or changed since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hoptrail.core.embedding import Embedder, static_of
from hoptrail.core.errors import HoptrailError, InputError
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.core.settings import Settings
from hoptrail.core.told_error import ToldError
from hoptrail.core.types import Chunk
from hoptrail.indexing.extraction.phrases import EXTRACTOR as PHRASES
from hoptrail.indexing.extraction.stage import make_guide, uses_model
from hoptrail.indexing.file_run import FileRun
from hoptrail.indexing.loading.document_names import KnownFiles
from hoptrail.indexing.loading.files import real_path
from hoptrail.indexing.loading.scans import reading_of
from hoptrail.indexing.loading.scans.reading import Scans
from hoptrail.indexing.loading.scans.recognised_pages import SecondShelf
from hoptrail.indexing.loading.web_addresses import is_address
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.indexing.report import RunLog, StageSeconds
from hoptrail.indexing.shards.shard_folder import Shard, ShardFolder, ShardState, check_settings
from hoptrail.indexing.shards.shard_set import central_passages, shard_count
from hoptrail.indexing.spending import Purse, SharedLimit
from hoptrail.indexing.storing import store_documents
from hoptrail.models.chat import ChatModels
from hoptrail.models.embedder import as_embedder
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.folder import holds_database
from hoptrail.stores.records.schema import FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class ShardTask:
    """All that one shard is made from; it can be sent to another process.

    Attributes:
        inputs: Files, folders and addresses of the whole run.
        options: How to index.
        shard: Which part of the documents.
        into: Folder of all shards of the run.
        settings: Models, keys and prices.
        embedder: Name of the embedder, None for that of the settings.
        model: Chat model that extracts, None for that of the settings.
        base: Knowledge base that the shards will be merged into: its documents keep their names,
            and what it has of a passage is not read again. None, or not there yet, for a new one.
    """

    inputs: tuple[str, ...]
    options: IndexOptions
    shard: Shard
    into: Path
    settings: Settings
    embedder: str | None = None
    model: str | None = None
    base: Path | None = None


def index_shard(
    task: ShardTask,
    *,
    progress: Progress | None = None,
    purse: Purse | None = None,
    embedder: Embedder | None = None,
) -> ShardState:
    """Index one shard as far as that is possible now, and return how far it is.

    Where a model reads a share of the passages, the central ones, it is to be called again when all
    shards are loaded: which passages are central is a matter of all of them.

    Args:
        task: What to do.
        progress: Observer of the stages.
        purse: The dollars of all shards, where they have a common limit.
        embedder: The embedder itself, where the task's name of it is not enough.

    Raises:
        InputError: If the folder holds a shard of the same number with other settings.
        SettingsError: If a setting cannot be used.
        KnowledgeBaseLockedError: If another process indexes the shard.
    """
    made = embedder or as_embedder(task.embedder or task.settings.embedder, task.settings)
    return _ShardRun(task, made, progress or NoProgress(), purse).run()


class _ShardIndexer(Indexer):
    """The stages of `Indexer` that a shard goes through."""

    _central: frozenset[str] = frozenset()

    def load(self, task: ShardTask, log: RunLog, base: KnowledgeBase | None) -> None:
        """Load and embed the documents of the shard."""
        known = None if base is None else KnownFiles.of(base)
        files = FileRun(self._kb, task.options, known=known, goes_on=True)
        files.names.check(task.inputs)
        store_documents(
            self._kb,
            task.inputs,
            task.options,
            log,
            self._progress,
            files=files,
            scans=self._scans(task.options, base),
            wanted=task.shard.holds,
        )
        if base is not None:
            with log.timed("store"):
                self._kb.take_over_results(base)
        with log.timed("embed"):
            self._embed("embed passages", log)

    def _scans(self, options: IndexOptions, base: KnowledgeBase | None) -> Scans:
        shelf = self._kb if base is None else SecondShelf(self._kb, base)
        return Scans(options.ocr, shelf=shelf, progress=self._progress, max_pages=options.ocr_pages)

    def read(self, options: IndexOptions, log: RunLog, central: set[str]) -> HoptrailError | None:
        """Extract what the passages state; the model reads the central ones."""
        self._central = frozenset(central)
        return self._extract(options, self._guide(options), log)

    def _for_model(self, in_run: Sequence[Chunk], beta: float) -> set[str]:
        if beta in (0, 1):
            return super()._for_model(in_run, beta)
        return {chunk.id for chunk in in_run if chunk.id in self._central}


class _ShardRun:
    """One call of `index_shard`."""

    def __init__(
        self, task: ShardTask, embedder: Embedder, progress: Progress, purse: Purse | None
    ) -> None:
        self._task = task
        self._embedder = embedder
        self._progress = progress
        self._purse = purse
        self._folder = ShardFolder(task.shard, task.into)
        choices = {"default": task.model} if task.model else {}
        self._models = ChatModels(task.settings, choices)
        self._asks_model = uses_model(task.options, self._models)

    def run(self) -> ShardState:
        settings = self._settings()
        self._check_count()
        self._known_state(settings)  # before the embedder of other settings is refused
        self._task.into.mkdir(parents=True, exist_ok=True)
        with KnowledgeBase.open(self._folder.path, embedder=self._embedder, create=True) as kb:
            self._indexer(kb).check(self._task.options)
            before = self._known_state(settings) or self._new_state(settings)
            self._folder.write(replace(before, stage="begun"))
            state, is_changed = self._load(kb, before)
            if before.stage == "done" and not is_changed:
                state = before
            else:
                self._folder.write(state)
                central = self._central()
                if central is None:
                    return state
                state = self._read(kb, state, central)
        self._folder.write(state)  # only now: a database that is closed has no log beside it
        return state

    def _load(self, kb: KnowledgeBase, state: ShardState) -> tuple[ShardState, bool]:
        """Return the state after loading, and whether anything was new."""
        log = self._log(state)
        try:
            if self._task.base is not None and holds_database(self._task.base):
                with KnowledgeBase.open(self._task.base) as base:
                    self._indexer(kb).load(self._task, log, base)
            else:
                self._indexer(kb).load(self._task, log, None)
        finally:
            _close(log)
        counts = kb.counts()
        loaded = replace(
            state,
            stage="loaded",
            documents=counts["documents"],
            chunks=counts["chunks"],
            skipped=tuple(log.skipped),
            usage=log.usage,
            seconds=_sum(state.seconds, log.seconds),
            notes=tuple(log.notes),
        )
        return loaded, bool({"added", "replaced", "moved"} & set(log.outcomes.values()))

    def _read(self, kb: KnowledgeBase, state: ShardState, central: set[str]) -> ShardState:
        log = self._log(state)
        try:
            stopped = self._indexer(kb).read(self._task.options, log, central)
        finally:
            _close(log)
        before, now = state.read, log.read
        # What rules had read in place of a model that was stopped, the model reads now.
        by_rules = max(0, before.by_rules - now.by_model)
        return replace(
            state,
            stage="done" if stopped is None else "stopped",
            read=replace(before, by_rules=by_rules) + now,
            usage=log.usage,
            seconds=_sum(state.seconds, log.seconds),
            notes=tuple(dict.fromkeys([*state.notes, *log.notes])),
            stopped_by=None if stopped is None else ToldError.of(stopped),
        )

    def _central(self) -> set[str] | None:
        """Return the passages for the model to choose from, None where they are not known yet."""
        beta = self._task.options.beta
        if not self._asks_model or beta in (0, 1):
            return set()
        return central_passages(self._task.into, self._task.shard.count, beta)

    def _indexer(self, kb: KnowledgeBase) -> _ShardIndexer:
        return _ShardIndexer(
            kb, settings=self._task.settings, models=self._models, progress=self._progress
        )

    def _log(self, state: ShardState) -> RunLog:
        limit = None if self._purse is None else SharedLimit(self._purse)
        log = RunLog(self._task.options.max_usd, limit=limit)
        log.usage = state.usage
        return log

    def _check_count(self) -> None:
        count, wanted = shard_count(self._task.into), self._task.shard.count
        if count not in (None, wanted):
            raise InputError(
                f"{self._task.into} holds shards of a run of {count}, not of {wanted}",
                hint="keep each run in its own folder",
            )

    def _known_state(self, settings: Mapping[str, Any]) -> ShardState | None:
        state = self._folder.state()
        if state is not None:
            check_settings(state, settings)
        return state

    def _new_state(self, settings: dict[str, Any]) -> ShardState:
        return ShardState(self._task.shard.number, self._task.shard.count, settings)

    def _settings(self) -> dict[str, Any]:
        """Return what decides what is in the shard, by names that a user knows."""
        options, static = self._task.options, static_of(self._embedder)
        extractor = PHRASES if options.extractor != "none" else "none"
        if self._asks_model:
            extractor = make_guide(self._models, options, self._task.settings).key
        return {
            "format": FORMAT_VERSION,
            "inputs": [one if is_address(one) else real_path(one) for one in self._task.inputs],
            "source": options.source,
            "chunk_tokens": options.chunk_tokens,
            "extractor": extractor,
            "beta": options.beta if self._asks_model else None,
            "code": options.code,
            "ignore": options.ignore,
            "private_addresses": options.private_addresses,
            "ocr": reading_of(options.ocr),
            "ocr_pages": options.ocr_pages,
            "embedder": self._embedder.name,
            "static_embedder": None if static is None else static.name,
        }


def _close(log: RunLog) -> None:
    if isinstance(log.limit, SharedLimit):
        log.limit.close()


def _sum(one: StageSeconds, other: StageSeconds) -> StageSeconds:
    return StageSeconds(
        one.load + other.load,
        one.extract + other.extract,
        one.embed + other.embed,
        one.store + other.store,
    )
