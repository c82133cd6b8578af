"""All shards of a run, as they lie in one folder."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.whole_file import write_whole
from hoptrail.indexing.extraction.stage import central_ids
from hoptrail.indexing.shards.shard import Shard
from hoptrail.indexing.shards.shard_folder import ShardFolder, ShardState, check_settings
from hoptrail.stores.knowledge_base import KnowledgeBase

CENTRAL_NAME = "central-passages.json"
_NAMED = 5  # shards that an error names


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
