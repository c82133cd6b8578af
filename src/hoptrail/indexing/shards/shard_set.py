"""The shards of a run: which are finished, and the one writer that merges them into a base."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.errors import EmbedderMismatchError, HoptrailError, InputError
from hoptrail.core.progress import Progress
from hoptrail.core.whole_file import write_whole
from hoptrail.indexing.extraction.phrases import EXTRACTOR as PHRASES
from hoptrail.indexing.extraction.phrases import FORMER_EXTRACTORS as FORMER_PHRASES
from hoptrail.indexing.extraction.stage import central_ids, is_model_extractor
from hoptrail.indexing.file_run import FileRun
from hoptrail.indexing.loading.document_names import CORPUS_SUFFIXES, second_root
from hoptrail.indexing.report import RunLog
from hoptrail.indexing.shards.shard_folder import Shard, ShardFolder, ShardState, check_settings
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.copies import ShardTaker
from hoptrail.stores.records.source_table import SourceRoot

CENTRAL_NAME = "central-passages.json"
_NAMED = 5  # shards that an error names

_BY_RULES = frozenset({PHRASES, *FORMER_PHRASES})


@dataclass(frozen=True, slots=True)
class FinishedShard:
    """A shard that can be merged."""

    folder: ShardFolder
    state: ShardState


def holds_shards(folder: Path) -> bool:
    """Return whether a folder has shards in it."""
    return folder.is_dir() and any(Shard.of_folder(path.name) for path in folder.iterdir())


def shard_count(folder: Path) -> int | None:
    """Return into how many shards the run of a folder was divided, None where it has none.

    Raises:
        InputError: If shards of two runs lie in it.
    """
    if not folder.is_dir():
        return None
    shards = (Shard.of_folder(path.name) for path in folder.iterdir())
    counts = sorted({shard.count for shard in shards if shard is not None})
    if len(counts) > 1:
        told = " and ".join(f"of {count}" for count in counts)
        raise InputError(
            f"{folder} holds shards of two runs: {told}", hint="keep each run in its own folder"
        )
    return counts[0] if counts else None


def finished_shards(folder: Path) -> list[FinishedShard]:
    """Return the shards of a folder, all of which can be merged, by number.

    Raises:
        InputError: If one is missing, not finished, damaged, or made with other settings: names it.
    """
    count = shard_count(folder)
    if count is None:
        raise InputError(
            f"{folder} holds no shards", hint="make them with hoptrail index --shard 1/16 --into"
        )
    folders = [ShardFolder(Shard(number, count), folder) for number in range(1, count + 1)]
    states = [(one, one.state()) for one in folders]
    left = [_what_is_left(one, state) for one, state in states]
    if told := [line for line in left if line]:
        more = f" and {len(told) - _NAMED:,} more" if len(told) > _NAMED else ""
        raise InputError(
            f"{folder} is not complete: {', '.join(told[:_NAMED])}{more}",
            hint="run hoptrail index with --shard and --into for these",
        )
    found = [FinishedShard(one, state) for one, state in states if state is not None]
    for one in found:
        check_settings(one.state, found[0].state.settings)
        one.folder.check(one.state)
    return found


def remove_shards(folder: Path) -> None:
    """Remove the shards of a folder, and the folder too where it holds nothing else."""
    for path in folder.iterdir():
        if Shard.of_folder(path.name) is not None:
            shutil.rmtree(path)
    (folder / CENTRAL_NAME).unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()


def _what_is_left(folder: ShardFolder, state: ShardState | None) -> str | None:
    if state is None:
        return f"shard {folder.shard} is missing"
    if state.stage == "begun":
        return f"shard {folder.shard} was cut short"
    if state.stage == "loaded":
        return f"shard {folder.shard} is loaded but not read"
    return None


def central_passages(folder: Path, count: int, beta: float) -> set[str] | None:
    """Return the ids of the passages of all shards that the model is to read.

    These are the `beta` share of them that is most central, as in a run of one process. They are
    chosen once and kept beside the shards.

    Args:
        folder: The shards' folder.
        count: How many there are.
        beta: The share, between 0 and 1.

    Returns:
        Their ids, None where some shard is not loaded yet.
    """
    kept = folder / CENTRAL_NAME
    if kept.exists():
        found = json.loads(kept.read_text(encoding="utf-8"))
        return set(found["passages"])
    folders = [ShardFolder(Shard(number, count), folder) for number in range(1, count + 1)]
    states = [one.state() for one in folders]
    if any(state is None or state.stage == "begun" for state in states):
        return None
    chosen = _most_central(folders, beta)
    write_whole(kept, json.dumps({"beta": beta, "passages": sorted(chosen)}))
    return chosen


def _most_central(folders: list[ShardFolder], beta: float) -> set[str]:
    import numpy as np

    ids: list[str] = []
    texts: list[str] = []
    vectors = []
    for folder in folders:
        with KnowledgeBase.open(folder.path) as kb:
            chunks = list(kb.iter_chunks())
            ids += [chunk.id for chunk in chunks]
            texts += [chunk.text for chunk in chunks]
            vectors.append(kb.embeddings([chunk.embedded_text for chunk in chunks]))
    return central_ids(ids, texts, np.concatenate(vectors), beta)


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
