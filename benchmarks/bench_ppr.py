"""Measures `ppr` on the corpus and triples on which HippoRAG 2 was measured: time and memory.

HippoRAG 2's own code, with the same triples and vectors, takes 24 ms a question beyond embedding it
and 2.6 GB. Building and asking are processes of their own, for the sake of their peak memory.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from bench import Figure, milliseconds, peak_memory, report, time_retriever
from data_sets import data_folder

CORPUS = "musique/train100_corpus.jsonl"
TRIPLES = "musique/train100_openie.jsonl"
QUESTIONS = "musique/train100.jsonl"
EMBEDDER = "all-MiniLM-L6-v2"


def main() -> int:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description="Measure PageRank on 1,890 passages.")
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / "hoptrail-bench"
    )
    parser.add_argument("--kb", type=Path, help="ask this knowledge base instead of building one")
    parser.add_argument("--step", choices=("build", "embed", "ask"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    data = data_folder(QUESTIONS)
    folder = arguments.cache / "musique-train100"
    kb = arguments.kb or folder / "kb"
    steps = {
        "build": lambda: build(data, kb),
        "embed": lambda: embed(data / QUESTIONS, folder),
        "ask": lambda: ask(kb, folder),
    }
    if arguments.step:
        steps[arguments.step]()
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    for step in ("embed", "ask") if arguments.kb else steps:
        subprocess.run([sys.executable, __file__, *sys.argv[1:], "--step", step], check=True)
    return 0


def build(data: Path, kb: Path) -> None:
    """Index the passages with their triples; what is indexed already takes no time."""
    from hoptrail.indexing.options import IndexOptions
    from hoptrail.indexing.pipeline import Indexer
    from hoptrail.models.embedder import load_embedder
    from hoptrail.stores.knowledge_base import KnowledgeBase

    options = IndexOptions(extractor="none", triples=(data / TRIPLES,))
    with KnowledgeBase.open(kb, embedder=load_embedder(EMBEDDER), create=True) as opened:
        Indexer(opened).index([data / CORPUS], options)


def embed(questions: Path, folder: Path) -> None:
    """Keep the questions and their vectors."""
    from hoptrail.models.embedder import load_embedder

    texts = [json.loads(line)["question"] for line in questions.open()]
    np.save(folder / "questions.npy", load_embedder(EMBEDDER).embed(texts))
    (folder / "questions.json").write_text(json.dumps(texts))


def ask(kb: Path, folder: Path) -> None:
    """Print the time of a question whose vector is given, and the memory of the process."""
    from hoptrail.models.embedder import load_embedder
    from hoptrail.stores.knowledge_base import KnowledgeBase

    questions: list[str] = json.loads((folder / "questions.json").read_text())
    vectors = np.load(folder / "questions.npy")
    with KnowledgeBase.open(kb) as opened:
        seconds, _ = time_retriever(opened, "ppr", questions, vectors)
    without_model = peak_memory()
    load_embedder(EMBEDDER).embed(questions[:1])
    report(
        [
            Figure("ppr on MuSiQue, p50 without embedding", milliseconds(seconds), "24 ms"),
            Figure("ppr on MuSiQue, p95 without embedding", milliseconds(seconds, 95)),
            Figure("peak memory, ppr", f"{without_model:.0f} MiB", "2600 MB"),
            Figure("peak memory, ppr with the embedder", f"{peak_memory():.0f} MiB", "2600 MB"),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
