"""Measures many vectors in Milvus: publishing, searching, and what a search finds.

The texts are facts of Freebase between named things (`webqsp/merged`), as "Stockholm, location
contained by, Sweden", with the static vectors of the default embedder; asked are the questions of
WebQSP. Without the data, or with `--random`, vectors are random around 1,000 centres.
`bench_servers.py` measures the questions of a base beside its folder.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np
from data_sets import data_folder

from hoptrail.core.embedding import Embedder, FloatArray
from hoptrail.core.progress import NoProgress
from hoptrail.core.types import Chunk
from hoptrail.stores.milvus.store import MilvusStore
from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.serving import BaseDescription, Rows

NAME = "bench_milvus"
FIRST = 10
DEPTHS = (FIRST, 2_000, 8_000)
QUERIES = 100
NODES, PREDICATES, TRIPLES = (
    f"webqsp/{name}"
    for name in ("merged_nodes.txt.gz", "merged_relations.txt", "merged_triples.tsv.gz")
)
QUESTIONS = "webqsp/questions_train800.jsonl"
_TIE = 1e-5  # scores that are closer are equal


def main() -> None:
    """Publish, search, and take all away again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", help="such as http://127.0.0.1:19530?index=IVF_FLAT")
    parser.add_argument("--rows", type=int, default=1_300_000)
    parser.add_argument("--random", type=int, metavar="DIM", help="random vectors of this length")
    parser.add_argument("--pid", type=int, help="the server's process, to tell its memory")
    parser.add_argument("--folder", type=Path, help="the server's folder, to tell its size")
    arguments = parser.parse_args()
    source = RandomTexts(arguments.random) if arguments.random else Facts()
    measure_many(ManyChunks(source, arguments.rows), arguments)


class Source(Protocol):
    """Texts with vectors, and queries for them."""

    name: str
    dim: int
    queries: FloatArray

    def batches(self, rows: int, batch: int) -> Iterator[tuple[list[str], FloatArray]]:
        """Yield so many texts with their vectors, a batch at a time."""
        ...


class RandomTexts:
    """Points around 1,000 centres, as texts have topics.

    Args:
        dim: Length of a vector.
    """

    def __init__(self, dim: int) -> None:
        self.name = f"random-{dim}"
        self.dim = dim
        self.queries = self._vectors(1, QUERIES)

    def batches(self, rows: int, batch: int) -> Iterator[tuple[list[str], FloatArray]]:
        """Yield so many texts with their vectors, a batch at a time."""
        text = "A passage of some sixty words, as a page of an encyclopedia has them. " * 5
        for first in range(0, rows, batch):
            count = min(batch, rows - first)
            yield [text] * count, self._vectors(first, count)

    def _vectors(self, seed: int, count: int) -> FloatArray:
        random = np.random.default_rng(seed)
        found = random.standard_normal((count, self.dim)).astype(np.float32)
        found += self._centres[random.integers(0, 1_000, count)]
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found

    @cached_property
    def _centres(self) -> FloatArray:
        return np.random.default_rng(7).standard_normal((1_000, self.dim)).astype(np.float32)


class Facts:
    """Facts of Freebase with static vectors, and the questions of WebQSP."""

    name = "freebase-facts"

    def __init__(self) -> None:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        self._data = data_folder(NODES, PREDICATES, TRIPLES, QUESTIONS)
        self._embedder = static_embedder()
        self.dim = self._embedder.dim
        with (self._data / QUESTIONS).open() as lines:
            questions = [json.loads(line)["question"] for line in islice(lines, QUERIES)]
        self.queries = self._embedder.embed(questions)

    def batches(self, rows: int, batch: int) -> Iterator[tuple[list[str], FloatArray]]:
        """Yield so many texts with their vectors, a batch at a time."""
        facts = islice(self._facts(), rows)
        while texts := list(islice(facts, batch)):
            yield texts, self._embedder.embed(texts)

    def _facts(self) -> Iterator[str]:
        with gzip.open(self._data / NODES, "rt") as lines:
            nodes = [line.rstrip("\n") for line in lines]
        is_named = [not re.fullmatch(r"[mg]\.\w+", node) for node in nodes]
        words = re.sub("[._]", " ", (self._data / PREDICATES).read_text()).split("\n")
        with gzip.open(self._data / TRIPLES, "rt") as lines:
            for line in lines:
                subject, predicate, object_ = map(int, line.split("\t"))
                if is_named[subject] and is_named[object_]:
                    yield f"{nodes[subject]}, {words[predicate]}, {nodes[object_]}"


def static_embedder() -> Embedder:
    """Return the static model of the default embedder."""
    from hoptrail.models.embedding.packaged_models import load_packaged_model

    static: Embedder | None = getattr(load_packaged_model("all-MiniLM-L6-v2"), "static", None)
    if static is None:
        raise SystemExit("the default embedder has no static vectors")
    return static


class ManyChunks:
    """A `Change` of passages.

    Args:
        source: Of their texts and vectors.
        rows: How many.
    """

    generation = 1
    since = None

    def __init__(self, source: Source, rows: int) -> None:
        self.source = source
        self.rows = rows
        counts: dict[ItemKind, int] = dict.fromkeys(
            ("document", "entity", "relation", "community"), 0
        )
        counts["chunk"] = rows
        self.base = BaseDescription(NAME, NAME, "", {}, source.name, source.dim, counts, 0)

    def counts(self, kind: ItemKind) -> tuple[int, int]:
        """Return how many items of a kind are put, and how many are gone."""
        return self.base.counts[kind], 0

    def put(self, kind: ItemKind, batch: int) -> Iterator[Rows]:
        """Yield the passages."""
        first = 0
        for texts, vectors in self.source.batches(self.base.counts[kind], batch):
            items = [
                Chunk(f"{n:016x}", "d", "Title", text, n, n + 1, 80)
                for n, text in enumerate(texts, first)
            ]
            first += len(texts)
            yield Rows(items, vectors)

    def gone(self, kind: ItemKind, batch: int) -> Iterator[list[str]]:
        """Nothing is gone."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Server:
    """A server as its machine sees it.

    Attributes:
        pid: Its process, None where it is not known.
        folder: Where its files are, None where that is not known.
    """

    pid: int | None
    folder: Path | None

    def processor(self) -> float:
        """Return the seconds of a processor that it has used."""
        if self.pid is None:
            return 0.0
        told = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")

    def size(self) -> str:
        """Return its memory and its disk in words, as far as they are known."""
        told: list[str] = []
        if self.pid is not None:
            lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
            sizes = dict(line.split(":", 1) for line in lines)
            now, most = (int(sizes[name].split()[0]) / 2**20 for name in ("VmRSS", "VmHWM"))
            told.append(f"{now:.1f} GiB of memory, {most:.1f} at most")
        if self.folder is not None:
            sizes_of = (path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
            told.append(f"{sum(sizes_of) / 2**30:.1f} GiB on disk")
        return ", ".join(told)


def measure_many(change: ManyChunks, arguments: argparse.Namespace) -> None:
    """Publish many vectors, search them, and say how many of the nearest are found."""
    server = Server(arguments.pid, arguments.folder)
    print(f"server before: {server.size()}", flush=True)
    store = MilvusStore.open(arguments.server, NAME)
    clock, processor, of_server = time.perf_counter(), time.process_time(), server.processor()
    store.publish(change, NoProgress())
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    print(
        f"published {change.rows:,} vectors of {change.source.dim} numbers in {clock:.0f} s, "
        f"{change.rows / clock:,.0f} a second; processor: {processor:.0f} s of this process, "
        f"{server.processor() - of_server:.0f} s of the server\nserver: {server.size()}",
        flush=True,
    )
    shown = store.vectors().shown(1)
    assert shown is not None and shown.counts["chunk"] == change.rows
    queries = change.source.queries
    tenth = scores_of_tenth(change, queries)
    for most in DEPTHS:
        seconds, recall = [], []
        shown.nearest(queries[:1], {"chunk": most})
        for query, least in zip(queries, tenth, strict=True):
            clock = time.perf_counter()
            [found] = shown.nearest(query[None], {"chunk": most})["chunk"]
            seconds.append(time.perf_counter() - clock)
            recall.append(float((found.scores[:FIRST] >= least - _TIE).sum()) / FIRST)
        p50, p95 = 1000 * np.percentile(seconds, (50, 95))
        print(
            f"nearest {most:,}: p50 {p50:.1f} ms, p95 {p95:.1f} ms, "
            f"{statistics.mean(recall):.3f} of the first {FIRST} found, {min(recall):.1f} at least",
            flush=True,
        )
    print(f"server: {server.size()}")
    store.remove()
    store.close()


def scores_of_tenth(change: ManyChunks, queries: FloatArray) -> FloatArray:
    """Return the score of the tenth of each query, by looking at all vectors."""
    best = np.full((len(queries), FIRST), -np.inf, dtype=np.float32)
    for part in change.put("chunk", 4_000):
        both = np.concatenate((best, queries @ part.vectors.T), axis=1)
        best = -np.partition(-both, FIRST - 1, axis=1)[:, :FIRST]
    least: FloatArray = best.min(axis=1)
    return least


if __name__ == "__main__":
    main()
