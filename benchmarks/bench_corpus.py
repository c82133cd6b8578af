"""Measures what it takes until questions about a whole corpus can be asked, without a model.

For a corpus of 1 MB and one of 2.7 MB: indexing by rules, communities and their reports. Each
corpus is a process of its own, for the sake of its peak memory. Time beyond embedding is what
counts, so the default embedder only hashes words; `--embedder all-MiniLM-L6-v2` is a real one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench import Figure, TimedEmbedder, peak_memory, report
from data_sets import data_folder

if TYPE_CHECKING:
    from hoptrail.core.embedding import Embedder
    from hoptrail.core.types import JsonDict

CORPORA = {
    "medical (1 MB)": "graphrag_bench/medical_corpus.txt",
    "ultradomain_mix (2.7 MB)": "ultradomain_mix/contexts.jsonl",
}
HASHING = "hashing"
TARGET = "60 s"


def main() -> int:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description="Measure Hoptrail on whole corpora, no model.")
    parser.add_argument("--embedder", default=HASHING, help="hashing, or a sentence embedder")
    parser.add_argument("--corpus", choices=CORPORA, help="only this one, in this process")
    arguments = parser.parse_args()
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
    from hoptrail.indexing.communities.options import CommunityOptions
    from hoptrail.indexing.options import IndexOptions
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
            text = sum(len(chunk.text.encode()) for chunk in kb.iter_chunks())
            beyond = time.perf_counter() - started - embedder.seconds
            processor = time.process_time() - worked - embedder.processor_seconds
        stored = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
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
        Figure("on the disk", f"{stored / 1e6:.0f} MB, {stored / text:.0f} times the text"),
        Figure("peak memory", f"{peak_memory():.0f} MiB"),
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
