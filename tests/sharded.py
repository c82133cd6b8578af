"""A run that is divided into shards, in one process, for tests."""

from __future__ import annotations

import io
from pathlib import Path

from hoptrail.core.settings import Settings
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.indexing.report import IndexReport
from hoptrail.indexing.shards.shard_folder import Shard, ShardState
from hoptrail.indexing.shards.shard_set import finished_shards
from hoptrail.indexing.spreading.shard_run import ShardTask, index_shard
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder

BY_RULES = IndexOptions(extractor="nlp")
COUNT = 3


def task(
    inputs: list[Path],
    into: Path,
    number: int = 1,
    *,
    options: IndexOptions = BY_RULES,
    settings: Settings | None = None,
    model: str | None = None,
    base: Path | None = None,
) -> ShardTask:
    """Return the task of a shard of three."""
    return ShardTask(
        tuple(map(str, inputs)),
        options,
        Shard(number, COUNT),
        into,
        settings or Settings(),
        model=model,
        base=base,
    )


def index_all(
    inputs: list[Path], into: Path, *, options: IndexOptions = BY_RULES, base: Path | None = None
) -> list[ShardState]:
    """Index the three shards one after the other."""
    return [
        index_shard(
            task(inputs, into, number, options=options, base=base), embedder=HashingEmbedder()
        )
        for number in range(1, COUNT + 1)
    ]


def merge(kb: KnowledgeBase, into: Path) -> IndexReport:
    """Merge the shards of a folder."""
    options = IndexOptions(extractor="none")
    return Indexer(kb).index((), options, shards=finished_shards(into))


def exported(kb: KnowledgeBase) -> str:
    """Return the canonical export of a base."""
    stream = io.StringIO()
    kb.export(stream, "jsonl")
    return stream.getvalue()
