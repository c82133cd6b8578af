"""Measures vectors in Milvus: beside the folder, beside a graph in Neo4j, and very many.

`ask` publishes a copy of a base and puts the same questions to the folder and to servers, each in a
process of its own: which of the first ten passages are the same, the time and round trips of a
question, and the process's memory. `many` publishes random vectors and searches them. On a busy
machine the processor's time says more than the clock's.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from bench_servers import timed

from hoptrail.core.embedding import FloatArray
from hoptrail.core.progress import NoProgress
from hoptrail.core.settings import ServedBase
from hoptrail.core.types import Chunk
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.services.serving_stores import open_source, publish_to_stores
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.milvus.reader import MilvusVectors
from hoptrail.stores.milvus.store import MilvusStore
from hoptrail.stores.neo4j.connection import Connection as Neo4jConnection
from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.serving import BaseDescription, Rows

NAME = "bench_milvus"
FIRST = 10


def main() -> None:
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    asked = commands.add_parser("ask", help="the same questions to the folder and to servers")
    asked.add_argument("kb", type=Path, help="folder of a knowledge base")
    asked.add_argument("questions", type=Path, help="JSON lines with `question`")
    asked.add_argument("--vectors", required=True, help="such as http://127.0.0.1:19530")
    asked.add_argument("--graph", help="such as bolt://127.0.0.1:7687")
    asked.add_argument("--retrievers", nargs="+", default=sorted(RETRIEVERS))
    asked.add_argument("--limit", type=int, help="questions to ask, all by default")
    one = commands.add_parser("answer", help="for `ask` itself")
    one.add_argument("task", type=json.loads)
    many = commands.add_parser("many", help="many vectors in Milvus")
    many.add_argument("server", help="such as http://127.0.0.1:19530?index=HNSW")
    many.add_argument("--rows", type=int, default=1_300_000)
    many.add_argument("--dim", type=int, default=384)
    arguments = parser.parse_args()
    if arguments.command == "ask":
        compare_sources(arguments)
    elif arguments.command == "answer":
        answer(**arguments.task)
    else:
        measure_many(arguments.server, arguments.rows, arguments.dim)


def compare_sources(arguments: argparse.Namespace) -> None:
    """Publish a copy of a base and put the questions to every kind of source."""
    lines = arguments.questions.read_text(encoding="utf-8").splitlines()[: arguments.limit]
    questions = [json.loads(line)["question"] for line in lines]
    servers: dict[str, dict[str, str]] = {"folder": {}, "milvus": {"vectors": arguments.vectors}}
    if arguments.graph:
        servers["neo4j"] = {"graph": arguments.graph}
        servers["neo4j+milvus"] = {"graph": arguments.graph, "vectors": arguments.vectors}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "kb"
        shutil.copytree(arguments.kb, folder)
        found: dict[str, dict[str, Any]] = {}
        print(f"| source | retriever | same first {FIRST} | p50 ms | cpu ms | round trips |")
        print("| --- | --- | --- | --- | --- | --- |", flush=True)
        for kind, addresses in servers.items():
            served = ServedBase(records=folder, **addresses)
            name = f"{NAME}_{kind.replace('+', '_')}"
            with KnowledgeBase.open(folder, embedder=embedder(), writable=True) as kb:
                with timed(f"publishing for {kind}"):
                    reports = publish_to_stores(kb, name, served)
                assert not any(report.error for report in reports), reports
            task = {
                "name": name,
                "served": served.model_dump(mode="json"),
                "questions": questions,
                "retrievers": arguments.retrievers,
            }
            found[kind] = in_a_process_of_its_own(task)
            tell(kind, found[kind], found["folder"])


def tell(kind: str, found: dict[str, Any], folder: dict[str, Any]) -> None:
    """Print what one source gave, beside what the folder gave."""
    for retriever, passages in found["passages"].items():
        expected = folder["passages"][retriever]
        same = sum(a == b for a, b in zip(expected, passages, strict=True))
        figures = found["figures"][retriever]
        print(f"| {kind} | {retriever} | {same}/{len(expected)} | {figures} |")
    print(f"{kind}: {found['memory']}", flush=True)


def in_a_process_of_its_own(task: dict[str, Any]) -> dict[str, Any]:
    """Return what `answer` prints for a task."""
    command = [sys.executable, __file__, "answer", json.dumps(task)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def answer(name: str, served: dict[str, Any], questions: list[str], retrievers: list[str]) -> None:
    """Ask one source all questions with each retriever, and print what that gave as JSON."""
    base = ServedBase.model_validate(served)
    rounds = counted_rounds()
    passages: dict[str, list[list[str]]] = {}
    figures: dict[str, str] = {}
    with KnowledgeBase.open(base.records, embedder=embedder()) as kb:
        vectors = {question: kb.embed_query(question) for question in questions}
        before = memory()
        for retriever in retrievers:
            source, connections = open_source(kb, name, base)  # what one knows helps no other
            make_retriever("bm25", source).retrieve(questions[0])
            chosen = make_retriever(retriever, source, k=FIRST)
            seconds, processor, trips = [], [], []
            passages[retriever] = []
            for question in questions:
                rounds.clear()
                clock, cpu = time.perf_counter(), time.process_time()
                evidence = chosen.retrieve(question, vector=vectors[question])
                seconds.append(time.perf_counter() - clock)
                processor.append(time.process_time() - cpu)
                trips.append(len(rounds))
                passages[retriever].append([hit.item.id for hit in evidence.chunks[:FIRST]])
            connections.close()
            middle = [1000 * statistics.median(each) for each in (seconds, processor)]
            most = f"{statistics.median(trips):g} (at most {max(trips)})"
            figures[retriever] = f"{middle[0]:.1f} | {middle[1]:.1f} | {most}"
    told = f"{before} before, {memory()} after all questions"
    print(json.dumps({"passages": passages, "figures": figures, "memory": told}))


def counted_rounds() -> list[str]:
    """Return a list that grows with every round trip to a server; parallel requests are one."""
    rounds: list[str] = []

    def count(owner: type, name: str) -> None:
        method = getattr(owner, name)

        def counted(*arguments: Any, **more: Any) -> Any:
            rounds.append(name)
            return method(*arguments, **more)

        setattr(owner, name, counted)

    for name in ("nearest", "scores", "vectors"):
        count(MilvusVectors, name)
    count(Neo4jConnection, "reading")
    return rounds


def memory() -> str:
    """Return the memory of this process: its own, and pages of files that it reads."""
    sizes = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    own, mapped = (int(sizes[name].split()[0]) // 1024 for name in ("RssAnon", "RssFile"))
    return f"{own} MB own, {mapped} MB mapped"


def embedder() -> Any:
    """Return the embedder of the bases."""
    from hoptrail.models.embedder import load_embedder

    return load_embedder("all-MiniLM-L6-v2")


class ManyChunks:
    """A `Change` of passages with random unit vectors.

    Args:
        rows: How many.
        dim: Length of a vector.
    """

    generation = 1
    since = None

    def __init__(self, rows: int, dim: int) -> None:
        self._rows = rows
        counts: dict[ItemKind, int] = dict.fromkeys(
            ("document", "entity", "relation", "community"), 0
        )
        counts["chunk"] = rows
        self.base = BaseDescription(NAME, NAME, "", {}, f"random-{dim}", dim, counts, 0)

    def counts(self, kind: ItemKind) -> tuple[int, int]:
        """Return how many items of a kind are put, and how many are gone."""
        return self.base.counts[kind], 0

    def put(self, kind: ItemKind, batch: int) -> Iterator[Rows]:
        """Yield the passages."""
        for first in range(0, self.base.counts[kind], batch):
            numbers = range(first, min(first + batch, self._rows))
            text = "A passage of some sixty words, as a page of an encyclopedia has them. " * 5
            items = [Chunk(f"{n:016x}", "d", "Title", text, n, n + 1, 80) for n in numbers]
            yield Rows(items, self.vectors(numbers))

    def gone(self, kind: ItemKind, batch: int) -> Iterator[list[str]]:
        """Nothing is gone."""
        return iter(())

    def vectors(self, numbers: range) -> FloatArray:
        """Return the vectors of passages: points around 1,000 centres, as texts have topics."""
        centres = np.random.default_rng(7).standard_normal((1_000, self.base.dim))
        random = np.random.default_rng(numbers.start)
        found = random.standard_normal((len(numbers), self.base.dim)).astype(np.float32)
        found += centres[random.integers(0, 1_000, len(numbers))].astype(np.float32)
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found


def measure_many(server: str, rows: int, dim: int) -> None:
    """Publish many vectors, search them, and say how many of the nearest are found."""
    store = MilvusStore.open(server, NAME)
    change = ManyChunks(rows, dim)
    with timed(f"publishing {rows:,} vectors of {dim} numbers"):
        store.publish(change, NoProgress())
    shown = store.vectors().shown(1)
    assert shown is not None and shown.counts["chunk"] == rows
    queries = change.vectors(range(rows, rows + 100))
    expected = nearest_of(change, queries, rows)
    for most in (FIRST, 2_000):
        seconds, recall = [], []
        for query, truth in zip(queries, expected, strict=True):
            clock = time.perf_counter()
            [found] = shown.nearest(query[None], {"chunk": most})["chunk"]
            seconds.append(time.perf_counter() - clock)
            recall.append(len(truth & set(found.keys[:FIRST])) / FIRST)
        print(
            f"nearest {most:,}: p50 {1000 * statistics.median(seconds):.1f} ms, "
            f"{statistics.mean(recall):.3f} of the first {FIRST} found"
        )
    store.remove()
    store.close()


def nearest_of(change: ManyChunks, queries: FloatArray, rows: int) -> list[set[str]]:
    """Return the ids of the first ten of each query, by looking at all vectors."""
    best: list[list[tuple[float, str]]] = [[] for _ in queries]
    for part in change.put("chunk", 4_000):
        products = part.vectors @ queries.T
        for column, top in enumerate(best):
            for place in np.argpartition(-products[:, column], FIRST)[:FIRST].tolist():
                top.append((float(products[place, column]), part.items[place].id))
            best[column] = sorted(top, reverse=True)[:FIRST]
    return [{id_ for _, id_ in top} for top in best]


if __name__ == "__main__":
    main()
