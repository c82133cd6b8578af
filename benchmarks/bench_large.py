"""Measures a knowledge graph of 1,293,250 nodes and 3,785,730 triples: import, opening, retrieval.

The knowledge base is built once and kept in the cache folder (most of that time goes into embedding
516,000 names), so a second run only reads. Building and reading are processes of their own, for the
sake of their peak memory.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from bench import ROOT, Figure, TimedEmbedder, milliseconds, peak_memory, report, timed

if TYPE_CHECKING:
    from hoptrail.core.types import Evidence
    from hoptrail.stores.knowledge_base import KnowledgeBase

TRIPLES = "webqsp/merged_triples.tsv.gz"
QUESTIONS = "cwq/questions.jsonl"
EDGES = 200


def main() -> int:
    """Run the benchmark and print its figures."""
    arguments = parse_arguments()
    data = Path(os.environ.get("HOPTRAIL_DATA") or ROOT / "../shared/data").resolve()
    missing = [name for name in (TRIPLES, QUESTIONS) if not (data / name).is_file()]
    if missing:
        print(
            f"bench-large: no {missing[0]} in {data}; set HOPTRAIL_DATA to the folder of the data"
        )
        return 0
    folder = arguments.cache / "merged"
    if arguments.step == "build":
        build(data / TRIPLES, folder)
    elif arguments.step == "read":
        report([*opening(arguments.kb), *retrieval(arguments, data / QUESTIONS)])
    else:
        run(folder, arguments)
    return 0


def parse_arguments() -> argparse.Namespace:
    """Return the command line's arguments."""
    parser = argparse.ArgumentParser(description="Measure Hoptrail on 3.8 million triples.")
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / "hoptrail-bench"
    )
    parser.add_argument("--kb", type=Path, help="read this knowledge base instead of building one")
    parser.add_argument("--fresh", action="store_true", help="build the knowledge base again")
    parser.add_argument("--retriever", action="append", default=[], metavar="NAME")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--limit", type=int, help="ask only the first questions")
    parser.add_argument("--step", choices=("build", "read"), help=argparse.SUPPRESS)
    return parser.parse_args()


def run(folder: Path, arguments: argparse.Namespace) -> None:
    """Build the knowledge base where it is missing, then read it, each in a process of its own."""
    kb: Path | None = arguments.kb
    if kb is None:
        kb = folder / "kb"
        if arguments.fresh or not (folder / "build.json").is_file():
            shutil.rmtree(folder, ignore_errors=True)
            print("bench-large: embedding 516,000 names, which takes a while", flush=True)
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--step", "build"], check=True)
        report(indexing(folder))
    command = [sys.executable, __file__, *sys.argv[1:], "--kb", str(kb), "--step", "read"]
    subprocess.run(command, check=True)


def build(triples: Path, folder: Path) -> None:
    """Import the triples and keep what that took."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from hoptrail.cli.progress import ProgressBars
    from hoptrail.indexing.options import IndexOptions
    from hoptrail.indexing.pipeline import Indexer
    from hoptrail.models.embedder import load_embedder
    from hoptrail.stores.knowledge_base import KnowledgeBase

    folder.mkdir(parents=True)
    embedder = TimedEmbedder(load_embedder("all-MiniLM-L6-v2"))
    options = IndexOptions(extractor="none", triples=(triples,))
    with (
        KnowledgeBase.open(folder / "kb", embedder=embedder, create=True) as kb,
        ProgressBars() as progress,
    ):
        started = time.perf_counter()
        Indexer(kb, progress=progress).index([], options)
        seconds = time.perf_counter() - started
        counts = kb.counts()
    took = {"seconds": seconds, "embedding": embedder.seconds, "memory": peak_memory(), **counts}
    (folder / "build.json").write_text(json.dumps(took))


def indexing(folder: Path) -> list[Figure]:
    """Return what the import took."""
    took = json.loads((folder / "build.json").read_text())
    size = f"{took['entities']:,} entities, {took['relations']:,} relations"
    disk = sum(path.stat().st_size for path in (folder / "kb").rglob("*") if path.is_file())
    return [
        Figure("knowledge base", size),
        Figure("on disk", f"{disk / 2**30:.2f} GiB"),
        Figure("embedding alone", f"{took['embedding']:.0f} s"),
        Figure("import beyond embedding", f"{took['seconds'] - took['embedding']:.0f} s", "300 s"),
        Figure("peak memory, import", f"{took['memory']:.0f} MiB", "4096 MiB"),
    ]


def opening(folder: Path) -> list[Figure]:
    """Return the seconds until the arrays can be used, and those of one search among the names."""
    from hoptrail.stores.knowledge_base import KnowledgeBase

    started = time.perf_counter()
    with KnowledgeBase.open(folder) as kb:
        relations = len(kb.index.relation_ids)
        seconds = time.perf_counter() - started
        vectors = kb.vectors("entity")
        queries = np.random.default_rng(0).standard_normal((8, vectors.dim)).astype(np.float32)
        one, _ = timed(lambda place: vectors.search(queries[place], 25), len(queries))
        many, _ = timed(lambda _: vectors.search_many(queries, 25), 3)
    return [
        Figure(f"opening {relations:,} relations", f"{1000 * seconds:.0f} ms"),
        Figure("search of all names, p50", milliseconds(one)),
        Figure("search of 8 vectors at once, p50", milliseconds(many)),
        Figure("peak memory, search", f"{peak_memory():.0f} MiB", "4096 MiB"),
    ]


def retrieval(arguments: argparse.Namespace, questions: Path) -> Iterator[Figure]:
    """Yield time and yield of the retrievers, the question's embedding included."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from hoptrail.models.embedder import load_embedder
    from hoptrail.stores.knowledge_base import KnowledgeBase

    rows = [json.loads(line) for line in questions.open()][: arguments.limit]
    parameters = dict(pair.split("=", 1) for pair in arguments.set)
    if not arguments.retriever:
        return
    embedder = load_embedder("all-MiniLM-L6-v2")
    for name in arguments.retriever:
        with KnowledgeBase.open(arguments.kb, embedder=embedder) as kb:
            yield from time_retriever(kb, name, parameters, rows)
    yield Figure("peak memory, retrieval", f"{peak_memory():.0f} MiB", "4096 MiB")


def time_retriever(
    kb: KnowledgeBase, name: str, parameters: dict[str, str], rows: Sequence[dict[str, Any]]
) -> list[Figure]:
    """Return the time of a retriever, and how often its subgraph holds an answer."""
    from hoptrail.retrievers.registry import make_retriever

    retriever = make_retriever(name, kb, **parameters)
    seconds, found = timed(lambda place: retriever.retrieve(rows[place]["question"]), len(rows))
    hits = [holds_answer(one, row["answers"]) for one, row in zip(found, rows, strict=True)]
    edges = np.mean([min(len(one.relations), EDGES) for one in found])
    return [
        Figure(f"{name}, p50", milliseconds(seconds), "150 ms"),
        Figure(f"{name}, p95", milliseconds(seconds, 95), "600 ms"),
        Figure(f"{name}, answer within {EDGES} edges", f"{np.mean(hits):.1%}", "50 %"),
        Figure(f"{name}, edges", f"{edges:.0f}"),
    ]


def holds_answer(evidence: Evidence, answers: Sequence[str]) -> bool:
    """Return whether an end of the first edges bears the name of an answer."""
    from hoptrail.core.text import normalize_answer

    relations = [hit.item for hit in evidence.relations[:EDGES]]
    names = {normalize_answer(name) for one in relations for name in (one.subject, one.object)}
    return any(normalize_answer(answer) in names for answer in answers)


if __name__ == "__main__":
    sys.exit(main())
