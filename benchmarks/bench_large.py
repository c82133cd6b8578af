"""Measures a knowledge graph of 1,293,250 nodes and 3,785,730 triples: import, opening, retrieval.

The knowledge base is built once and kept in the cache folder (most of that time goes into embedding
516,000 names), so a second run only reads; a build that was interrupted goes on where it stopped.
Building, searching and retrieving are processes of their own, for the sake of their peak memory.
Parameters were chosen on the first half of the questions; the second half is reported by itself.
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
from bench import Figure, TimedEmbedder, milliseconds, peak_memory, report, timed
from data_sets import data_folder

if TYPE_CHECKING:
    from hoptrail.core.types import Evidence
    from hoptrail.stores.knowledge_base import KnowledgeBase

TRIPLES = "webqsp/merged_triples.tsv.gz"
QUESTIONS = "cwq/questions.jsonl"
EDGES = 200


def main() -> int:
    """Run the benchmark and print its figures."""
    arguments = parse_arguments()
    data = data_folder(TRIPLES, QUESTIONS)
    folder = arguments.cache / "merged"
    if arguments.step == "build":
        build(data / TRIPLES, folder)
    elif arguments.step == "search":
        report(searching(arguments.kb))
    elif arguments.step == "retrieve":
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
    parser.add_argument("--step", choices=("build", "search", "retrieve"), help=argparse.SUPPRESS)
    return parser.parse_args()


def run(folder: Path, arguments: argparse.Namespace) -> None:
    """Build the knowledge base where it is missing, then read it, each in a process of its own."""
    kb: Path | None = arguments.kb
    if kb is None:
        kb = folder / "kb"
        if arguments.fresh:
            shutil.rmtree(folder, ignore_errors=True)
        if not (folder / "build.json").is_file():
            print("bench-large: embedding 516,000 names takes most of an hour", flush=True)
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--step", "build"], check=True)
        report(indexing(folder))
    for step in ("search", "retrieve"):
        command = [sys.executable, __file__, *sys.argv[1:], "--kb", str(kb), "--step", step]
        subprocess.run(command, check=True)


def build(triples: Path, folder: Path) -> None:
    """Import the triples and keep what that took."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from hoptrail.indexing.options import IndexOptions
    from hoptrail.indexing.pipeline import Indexer
    from hoptrail.models.embedder import load_embedder
    from hoptrail.stores.knowledge_base import KnowledgeBase

    is_resumed = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    embedder = TimedEmbedder(load_embedder("all-MiniLM-L6-v2"))
    options = IndexOptions(extractor="none", triples=(triples,))
    with KnowledgeBase.open(folder / "kb", embedder=embedder, create=True) as kb:
        started = time.perf_counter()
        Indexer(kb, progress=Lines()).index([], options)
        seconds = time.perf_counter() - started
        counts = kb.counts()
    took = {
        "seconds": seconds,
        "embedding": embedder.seconds,
        "memory": peak_memory(),
        "is_resumed": is_resumed,
        **counts,
    }
    (folder / "build.json").write_text(json.dumps(took))


class Lines:
    """Prints a line for each tenth of a stage: an hour passes without a terminal, too.

    Implements `hoptrail.core.progress.Progress`.
    """

    def __init__(self) -> None:
        self._done: dict[str, int] = {}
        self._total: dict[str, int | None] = {}
        self._started = time.perf_counter()

    def start(self, stage: str, total: int | None) -> None:
        """Say that a stage begins."""
        self._done[stage] = 0
        self._total[stage] = total
        self._say(stage, "started" if total is None else f"started, {total:,} steps")

    def advance(self, stage: str, steps: int = 1) -> None:
        """Count steps, and say so at every tenth of the stage."""
        before, total = self._done[stage], self._total[stage]
        self._done[stage] += steps
        if total and before * 10 // total < self._done[stage] * 10 // total:
            self._say(stage, f"{self._done[stage] / total:.0%}")

    def finish(self, stage: str) -> None:
        """Say that a stage ended."""
        self._say(stage, "finished")

    def _say(self, stage: str, what: str) -> None:
        print(f"[{time.perf_counter() - self._started:7.1f} s] {stage}: {what}", flush=True)


def indexing(folder: Path) -> list[Figure]:
    """Return what the import took."""
    took = json.loads((folder / "build.json").read_text())
    partly = "the last run of several" if took.get("is_resumed") else ""
    size = f"{took['entities']:,} entities, {took['relations']:,} relations"
    disk = sum(path.stat().st_size for path in (folder / "kb").rglob("*") if path.is_file())
    return [
        Figure("knowledge base", size),
        Figure("on disk", f"{disk / 2**30:.2f} GiB"),
        Figure("embedding alone", f"{took['embedding']:.0f} s", ratio=partly),
        Figure(
            "import beyond embedding",
            f"{took['seconds'] - took['embedding']:.0f} s",
            "300 s",
            partly,
        ),
        Figure("peak memory, import", f"{took['memory']:.0f} MiB", "4096 MiB"),
    ]


def opening(folder: Path) -> list[Figure]:
    """Return the seconds until the arrays can be used, and those of counting what there is."""
    from hoptrail.stores.knowledge_base import KnowledgeBase

    started = time.perf_counter()
    with KnowledgeBase.open(folder) as kb:
        relations = len(kb.index.relation_ids)
        seconds = time.perf_counter() - started
        counting, _ = timed(lambda _: kb.counts(), 3)
    return [
        Figure(f"opening {relations:,} relations", f"{1000 * seconds:.0f} ms"),
        Figure("counting", milliseconds(counting)),
    ]


def searching(folder: Path) -> list[Figure]:
    """Return the time of a search among all names, beside that of the product it does without."""
    from hoptrail.stores.knowledge_base import KnowledgeBase

    with KnowledgeBase.open(folder) as kb:
        vectors = kb.vectors("entity")
        places = np.arange(len(kb.index.entity_ids), dtype=np.int32)
        blocks = (vectors.vectors_at(part) for part in np.array_split(places, 64))
        matrix = np.concatenate([block[block.any(axis=1)] for block in blocks])
        queries = matrix[:: len(matrix) // 64][:64] + matrix[1 :: len(matrix) // 64][:64]
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
        product, _ = timed(lambda place: matrix @ queries[place], len(queries))
        one, _ = timed(lambda place: vectors.search(queries[place], 25), len(queries))
        many, _ = timed(lambda _: vectors.search_many(queries[:8], 25), 3)
    return [
        Figure(f"product with {len(matrix):,} names, p50", milliseconds(product)),
        Figure(
            "search of all names, p50",
            milliseconds(one),
            ratio=f"{np.median(one) / np.median(product):.2f} x the product",
        ),
        Figure(
            "search of 8 vectors at once, p50",
            milliseconds(many),
            ratio=f"{np.median(many) / np.median(product):.2f} x the product",
        ),
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
    for row in rows[:5]:
        retriever.retrieve(f"{row['question']} ?")  # a question that was asked is not embedded anew
    seconds, processor, hits, edges = [], [], [], []
    for row in rows:
        started, used = time.perf_counter(), time.process_time()
        found = retriever.retrieve(row["question"])
        seconds.append(time.perf_counter() - started)
        processor.append(time.process_time() - used)
        hits.append(holds_answer(found, row["answers"]))
        edges.append(min(len(found.relations), EDGES))
    half = hits[len(hits) // 2 :]
    return [
        Figure(f"{name}, p50", milliseconds(seconds), "100 ms"),
        Figure(f"{name}, p95", milliseconds(seconds, 95), "600 ms"),
        Figure(f"{name}, processor, p50", milliseconds(processor)),
        Figure(f"{name}, processor, p95", milliseconds(processor, 95)),
        Figure(f"{name}, answer within {EDGES} edges", f"{np.mean(hits):.1%}", "50 %"),
        Figure(f"{name}, the same on the second half", f"{np.mean(half):.1%}", "50 %"),
        Figure(f"{name}, edges", f"{np.mean(edges):.0f}"),
    ]


def holds_answer(evidence: Evidence, answers: Sequence[str]) -> bool:
    """Return whether an end of the first edges bears the name of an answer."""
    from hoptrail.core.text import normalize_answer

    relations = [hit.item for hit in evidence.relations[:EDGES]]
    names = {normalize_answer(name) for one in relations for name in (one.subject, one.object)}
    return any(normalize_answer(answer) in names for answer in answers)


if __name__ == "__main__":
    sys.exit(main())
