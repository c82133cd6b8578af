"""Measures how the time of every stage of indexing grows with the corpus, without a model.

5,000, 20,000 and 80,000 generated passages are indexed by rules and their communities found; then
one document is added and one deleted. Each size is a process of its own, for the sake of its peak
memory. Seconds are of the processor, so that other work on the machine hardly shows, in one thread,
for others would add the time that they wait, and without the embedder, which only hashes words. No
stage may take more than five times as long for four times the passages.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from math import log
from pathlib import Path

from bench import TimedEmbedder, peak_memory
from generated_corpus import write_corpus

SIZES = (5_000, 20_000, 80_000)
MOST = 5.0  # times as long for four times the passages
_ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
SHORTEST = 1.0  # second; what takes less at the larger size is not judged


def main() -> int:
    """Run the benchmark, print its figures, and fail where a stage grows too fast."""
    parser = argparse.ArgumentParser(description="Measure how indexing grows with the corpus.")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="passages, ascending")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one)))
        return 0
    found = []
    for size in arguments.sizes:
        command = [sys.executable, __file__, "--one", str(size)]
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, env=_ONE_THREAD
        )
        found.append(json.loads(done.stdout))
        print(_headline(size, found[-1]), flush=True)
    return _report(arguments.sizes, [one["seconds"] for one in found])


def measure(size: int) -> dict[str, dict[str, float]]:
    """Return the seconds by stage, and what was made, for a corpus of so many passages."""
    from hoptrail.indexing.communities.building import CommunityBuilder
    from hoptrail.indexing.communities.options import CommunityOptions
    from hoptrail.indexing.options import IndexOptions
    from hoptrail.indexing.pipeline import Indexer
    from hoptrail.stores.knowledge_base import KnowledgeBase
    from hoptrail.testing import HashingEmbedder

    embedder = TimedEmbedder(HashingEmbedder())
    clock = StageClock(embedder)
    by_rules = IndexOptions(source="generated", extractor="nlp")
    with tempfile.TemporaryDirectory(prefix="hoptrail-") as folder:
        corpus, more = Path(folder, "corpus.jsonl"), Path(folder, "more.jsonl")
        write_corpus(corpus, size)
        write_corpus(more, 1, seed=6)
        with KnowledgeBase.open(Path(folder, "kb"), embedder=embedder, create=True) as kb:
            clock.begin("index")
            Indexer(kb, progress=clock).index([corpus], by_rules)
            clock.begin("communities")
            CommunityBuilder(kb, progress=clock).build(CommunityOptions(extractive=True))
            clock.begin("one more")
            Indexer(kb, progress=clock).index([more], IndexOptions(source="more", extractor="nlp"))
            clock.begin("delete one")
            Indexer(kb, progress=clock).delete(["more/0"])
            clock.end()
            counts: dict[str, float] = {**kb.counts(), "MiB": round(peak_memory())}
    return {"seconds": clock.seconds, "counts": counts}


class StageClock:
    """Adds up the seconds of each stage; implements `hoptrail.core.progress.Progress`.

    Args:
        embedder: What it takes is left out.
    """

    def __init__(self, embedder: TimedEmbedder) -> None:
        self._embedder = embedder
        self.seconds: dict[str, float] = {}
        self._part = ""
        self._starts: dict[str, float] = {}

    def begin(self, part: str) -> None:
        """Begin a part of the work, which has stages."""
        self.end()
        self._part = part
        self.start("all of it", None)

    def end(self) -> None:
        """End the part that goes on."""
        if self._part:
            self.finish("all of it")

    def start(self, stage: str, total: int | None) -> None:
        """Note when a stage begins."""
        self._starts[stage] = self._now()

    def advance(self, stage: str, steps: int = 1) -> None:
        """Do nothing: only whole stages are timed."""

    def finish(self, stage: str) -> None:
        """Add what the stage took."""
        name = f"{self._part}: {stage.partition(',')[0]}"  # the levels of reports together
        spent = self._now() - self._starts[stage]
        print(f"{name}: {spent:.2f} s", file=sys.stderr, flush=True)
        self.seconds[name] = self.seconds.get(name, 0.0) + spent

    def _now(self) -> float:
        return time.process_time() - self._embedder.processor_seconds


def _headline(size: int, found: dict[str, dict[str, float]]) -> str:
    counts = {name: f"{count:,.0f}" for name, count in found["counts"].items()}
    made = "{chunks} passages, {entities} entities, {relations} relations".format(**counts)
    return f"{size:,}: {made}, peak memory {counts['MiB']} MiB"


def _report(sizes: Sequence[int], seconds: Sequence[dict[str, float]]) -> int:
    """Print a line per stage, and return 1 where one grows too fast."""
    print(f"{'stage':30}" + "".join(f"{size:>10,}" for size in sizes) + "   per 4 times as many")
    too_fast = False
    for stage in seconds[-1]:
        spent = [one.get(stage, 0.0) for one in seconds]
        measured = list(zip(sizes, spent, strict=True))
        ratios = [_per_four(*one, *other) for one, other in pairwise(measured)]
        judged = any(
            ratio > MOST and longer >= SHORTEST
            for ratio, longer in zip(ratios, spent[1:], strict=True)
        )
        too_fast |= judged
        print(
            f"{stage:30}"
            + "".join(f"{one:>8.2f} s" for one in spent)
            + "   "
            + " ".join(f"{ratio:5.1f}" for ratio in ratios)
            + ("  too fast" if judged else "")
        )
    return int(too_fast)


def _per_four(size: int, spent: float, larger: int, longer: float) -> float:
    """Return how many times as long four times as many would take, from two sizes measured."""
    if spent <= 0 or longer <= 0:
        return 0.0
    return float((longer / spent) ** (log(4) / log(larger / size)))


if __name__ == "__main__":
    sys.exit(main())
