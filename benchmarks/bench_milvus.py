"""Measures many vectors in Milvus: publishing, searching, and what a search finds.

The vectors are random, around 1,000 centres, as texts have topics. `bench_servers.py` measures the
questions of a base beside its folder.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.progress import NoProgress
from hoptrail.core.types import Chunk
from hoptrail.stores.milvus.store import MilvusStore
from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.serving import BaseDescription, Rows

NAME = "bench_milvus"
FIRST = 10


def main() -> None:
    """Publish, search, and take all away again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", help="such as http://127.0.0.1:19530?index=HNSW")
    parser.add_argument("--rows", type=int, default=1_300_000)
    parser.add_argument("--dim", type=int, default=384)
    arguments = parser.parse_args()
    measure_many(arguments.server, arguments.rows, arguments.dim)


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
    clock, processor = time.perf_counter(), time.process_time()
    store.publish(change, NoProgress())
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    print(
        f"published {rows:,} vectors of {dim} numbers in {clock:.0f} s, {rows / clock:,.0f} a "
        f"second; {processor:.0f} s of this process",
        flush=True,
    )
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
