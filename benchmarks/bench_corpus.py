"""Measures what it takes until questions about a whole corpus can be asked, without a model.

For corpora of 1 MB, of 1.5 MB in 3,175 short passages, and of 2.7 MB: indexing by rules,
communities and their reports. Each corpus is a process of its own, for the sake of its peak memory.
Time beyond embedding is what counts, so the default embedder only hashes words; `--embedder
all-MiniLM-L6-v2` is a real one.

    python benchmarks/bench_corpus.py --kb DIR

only tells of a base that is there: what each of its tables and arrays takes on the disk, how many
times its text that is, and how long it takes to open.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bench import Figure, TimedEmbedder, peak_memory, report
from data_sets import data_folder

if TYPE_CHECKING:
    from hoptrail.core.embedding import Embedder
    from hoptrail.core.types import JsonDict

CORPORA = {
    "medical (1 MB)": "graphrag_bench/medical_corpus.txt",
    "musique dev (1.5 MB)": "musique/dev_corpus.jsonl",
    "ultradomain_mix (2.7 MB)": "ultradomain_mix/contexts.jsonl",
}
HASHING = "hashing"
TARGET = "60 s"
MOST_OF_TEXT = 25  # times the text on the disk
LEAST_SHOWN = 0.01  # of a base


def main() -> int:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description="Measure Hoptrail on whole corpora, no model.")
    parser.add_argument("--embedder", default=HASHING, help="hashing, or a sentence embedder")
    parser.add_argument("--corpus", choices=CORPORA, help="only this one, in this process")
    parser.add_argument("--kb", type=Path, help="tell what this base takes on the disk")
    arguments = parser.parse_args()
    if arguments.kb:
        report(on_the_disk(arguments.kb))
        return 0
    data = data_folder(*CORPORA.values())
    if arguments.corpus:
        print(arguments.corpus)
        report(measure(data / CORPORA[arguments.corpus], arguments.embedder))
    else:
        for name in CORPORA:
            command = [sys.executable, __file__, *sys.argv[1:], "--corpus", name]
            subprocess.run(command, check=True)
    return 0


def measure(corpus: Path, embedder_name: str) -> list[Figure]:
    """Return what indexing a corpus and finding its communities took."""
    from hoptrail.indexing.communities.building import CommunityBuilder
    from hoptrail.indexing.options import CommunityOptions, IndexOptions
    from hoptrail.indexing.pipeline import Indexer
    from hoptrail.stores.knowledge_base import KnowledgeBase

    embedder = TimedEmbedder(make_embedder(embedder_name))
    embedder.embed(["warm up"])
    embedder.seconds = embedder.processor_seconds = 0.0
    with tempfile.TemporaryDirectory(prefix="hoptrail-") as folder:
        with KnowledgeBase.open(folder, embedder=embedder, create=True) as kb:
            started, worked = time.perf_counter(), time.process_time()
            indexed = Indexer(kb).index([corpus], IndexOptions(extractor="nlp")).to_json()
            embedded_by_indexing = embedder.seconds
            options = CommunityOptions(extractive=True)
            found = CommunityBuilder(kb).build(options).to_json()
            beyond = time.perf_counter() - started - embedder.seconds
            processor = time.process_time() - worked - embedder.processor_seconds
        taken = on_the_disk(Path(folder))
    reports = sum(level["reported"] for level in found["levels"])
    size = f"{indexed['chunks']:,} chunks, {indexed['entities']:,} entities"
    return [
        Figure("knowledge base", f"{size}, {indexed['relations']:,} relations"),
        Figure("communities", f"{reports:,} reports on {len(found['levels'])} levels"),
        *stages("index", indexed["seconds"], embedded_by_indexing),
        *stages("communities", found["seconds"], embedder.seconds - embedded_by_indexing),
        Figure("embedding alone", f"{embedder.seconds:.1f} s"),
        Figure("all beyond embedding", f"{beyond:.1f} s", TARGET),
        Figure("of that on a processor", f"{processor:.1f} s"),
        Figure("peak memory", f"{peak_memory():.0f} MiB"),
        *taken,
    ]


def on_the_disk(folder: Path) -> list[Figure]:
    """Return what a base takes by table and array, the largest first, and how long it opens."""
    from hoptrail.stores.knowledge_base import KnowledgeBase
    from hoptrail.stores.records.database import DATABASE_NAME

    started = time.perf_counter()
    with KnowledgeBase.open(folder) as kb:
        passages = len(kb.index.chunk_ids)
        opened = time.perf_counter() - started
        text = sum(len(chunk.text.encode()) for chunk in kb.iter_chunks())
    files = [path for path in folder.rglob("*") if path.is_file()]
    parts = {path.name: path.stat().st_size for path in files}
    total = sum(parts.values())
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as connection:
        with suppress(sqlite3.OperationalError):  # where SQLite was built without this table
            tables = connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name")
            parts |= {f"{DATABASE_NAME} {name}": size for name, size in tables}
    largest = sorted(parts.items(), key=lambda part: -part[1])
    return [
        Figure(
            "on the disk",
            f"{total / 1e6:.1f} MB",
            f"{MOST_OF_TEXT} times the text",
            f"{total / text:.1f} times the text ({text / 1e6:.2f} MB in {passages:,} passages)",
        ),
        Figure("opened in", f"{opened:.2f} s", "1 s"),
        *(
            Figure(f"  {name}", f"{size / 1e6:.2f} MB")
            for name, size in largest
            if size > LEAST_SHOWN * total
        ),
    ]


def make_embedder(name: str) -> Embedder:
    """Return an embedder by name; `hashing` costs next to nothing."""
    if name == HASHING:
        from hoptrail.testing import HashingEmbedder

        return HashingEmbedder()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from hoptrail.models.embedder import load_embedder

    return load_embedder(name)


def stages(part: str, seconds: JsonDict, embedding: float) -> list[Figure]:
    """Return the seconds by stage; of that which embeds, what is beyond the embedder itself."""
    beyond = {**seconds, "embed": seconds["embed"] - embedding}
    names = {"embed": "vectors kept and looked up"}
    return [
        Figure(f"{part}: {names.get(stage, stage)}", f"{spent:.1f} s")
        for stage, spent in beyond.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
