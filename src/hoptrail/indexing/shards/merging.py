"""Merging: the one writer that puts the shards of a run into a knowledge base."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hoptrail.core.errors import EmbedderMismatchError, HoptrailError
from hoptrail.core.progress import Progress
from hoptrail.indexing.extraction.phrases import EXTRACTOR as PHRASES
from hoptrail.indexing.extraction.phrases import FORMER_EXTRACTORS as FORMER_PHRASES
from hoptrail.indexing.extraction.stage import is_model_extractor
from hoptrail.indexing.file_run import FileRun
from hoptrail.indexing.loading.document_names import CORPUS_SUFFIXES, second_root
from hoptrail.indexing.report import RunLog
from hoptrail.indexing.shards.shard_set import FinishedShard
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.source_table import SourceRoot
from hoptrail.stores.records.taking_in import ShardTaker

_BY_RULES = frozenset({PHRASES, *FORMER_PHRASES})


def take_in_shards(
    kb: KnowledgeBase,
    shards: Sequence[FinishedShard],
    log: RunLog,
    progress: Progress,
    *,
    files: FileRun,
) -> None:
    """Put the records of all shards of a run into a base, a shard per transaction.

    A shard that is there already changes nothing, so that a merge that was killed is repeated.
    `files` is told which were read, as where one process reads them.

    Raises:
        EmbedderMismatchError: If the base has another embedder; then nothing is stored.
        SourceRootError: If one would give a source a second root; then nothing is stored.
    """
    _check_embedder(kb, shards)
    roots = _new_roots(kb, shards)
    taker = ShardTaker(
        is_by_model=is_model_extractor,
        is_replaced=lambda name: name in _BY_RULES or is_model_extractor(name),
        observe=log.note_text,
    )
    stamps = _Stamps(len(shards))
    progress.start("merge", len(shards))
    for shard in shards:
        with KnowledgeBase.open(shard.folder.path) as given, log.timed("store"):
            kb.take_in_shard(given, taker)
            stamps.add(given.file_stamps())
        for node, spent in shard.state.usage.by_node.items():
            log.usage = log.usage.add(node, spent)
        log.skipped += [one for one in shard.state.skipped if one not in log.skipped]
        log.read += shard.state.read
        log.notes += [note for note in shard.state.notes if note not in log.notes]
        progress.advance("merge")
    kb.put_source_roots(roots)
    files.stamps.whole |= stamps.of_whole_files()
    kb.put_file_stamps(files.stamps.whole)
    files.names.used |= {doc_id.partition("/")[0] for doc_id in taker.outcomes}
    kb.forget_unused_scans()
    log.outcomes |= taker.outcomes
    log.skipped.sort(key=lambda one: (one.path, one.reason))
    progress.finish("merge")


def stopped_by(shards: Sequence[FinishedShard]) -> HoptrailError | None:
    """Return what stopped the model in one of the shards, None where nothing did."""
    for shard in shards:
        told = shard.state.stopped_by
        if told is not None:
            return told.error(f"shard {shard.folder.shard}: ")
    return None


class _Stamps:
    """The versions of the files of all shards. A corpus is whole where each shard read its part."""

    def __init__(self, shards: int) -> None:
        self._shards = shards
        self._stamps: dict[str, set[str]] = {}
        self._times: Counter[str] = Counter()

    def add(self, stamps: dict[str, str]) -> None:
        self._times.update(stamps.keys())
        for path, stamp in stamps.items():
            self._stamps.setdefault(path, set()).add(stamp)

    def of_whole_files(self) -> dict[str, str]:
        return {
            path: next(iter(stamps))
            for path, stamps in self._stamps.items()
            if len(stamps) == 1 and self._is_whole(path)
        }

    def _is_whole(self, path: str) -> bool:
        is_corpus = Path(path).suffix.lower() in CORPUS_SUFFIXES
        return not is_corpus or self._times[path] == self._shards


def _check_embedder(kb: KnowledgeBase, shards: Sequence[FinishedShard]) -> None:
    name = shards[0].state.settings["embedder"]
    if kb.embedder.name != name:
        raise EmbedderMismatchError(
            f"the shards were embedded with {name!r}, {kb.path} is with {kb.embedder.name!r}",
            hint=f"set HOPTRAIL_EMBEDDER={name}, or make the shards again with the other one",
        )


def _new_roots(kb: KnowledgeBase, shards: Sequence[FinishedShard]) -> list[SourceRoot]:
    """Return the roots of the shards' sources.

    Raises:
        SourceRootError: If a source has another one in the base.
    """
    known = kb.source_roots()
    roots: dict[str, SourceRoot] = {}
    for shard in shards:
        with KnowledgeBase.open(shard.folder.path) as given:
            roots |= given.source_roots()
    for name, root in roots.items():
        if name in known and known[name].root != root.root:
            raise second_root(name, known[name].root, root.root)
    return list(roots.values())
