"""Measures indexing, retrieval, compression, start-up and memory on a corpus of 6,761 passages.

The knowledge base is built once and kept in the cache folder, so a second run only reads. What is
timed is set against something of the same machine and run: indexing against the embedder alone,
retrieval against one product of the question's vector with all passage vectors, start-up against
a bare interpreter. `bench_ppr.py`, run at the end, measures PageRank on the corpus of a peer.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from data_sets import ROOT, data_folder

if TYPE_CHECKING:
    from hoptrail.core.embedding import Embedder, FloatArray
    from hoptrail.core.types import Evidence
    from hoptrail.stores.knowledge_base import KnowledgeBase

CORPUS = "musique/ketrag_corpus.jsonl"
QUESTIONS = ("musique/train100.jsonl", "musique/dev.jsonl")
BUDGET = 12_000
COMPRESSED = 4_000


@dataclass(frozen=True)
class Figure:
    """One line of the report; `ratio` is to the baseline that `to` names."""

    name: str
    value: str
    target: str = ""
    ratio: str = ""


def main() -> int:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description="Measure Hoptrail on 6,761 passages.")
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / "hoptrail-bench"
    )
    parser.add_argument("--limit", type=int, help="index only the first passages, for a quick look")
    parser.add_argument("--fresh", action="store_true", help="build the knowledge base again")
    parser.add_argument("--build", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    data = data_folder(CORPUS)
    folder = arguments.cache / f"ketrag-{arguments.limit or 'all'}"
    if arguments.build:
        build(data, folder, arguments.limit)
        return 0
    if arguments.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    if not (folder / "build.json").is_file():
        shutil.rmtree(folder, ignore_errors=True)
        print("bench: building the knowledge base, which takes some minutes", flush=True)
        subprocess.run([sys.executable, __file__, *sys.argv[1:], "--build"], check=True)
    report([*indexing(folder), *retrieval(folder), *start_up()])
    ppr = [sys.executable, str(ROOT / "benchmarks/bench_ppr.py"), "--cache", str(arguments.cache)]
    subprocess.run(ppr, check=True)
    return 0


def build(data: Path, folder: Path, limit: int | None) -> None:
    """Index the corpus without a model and embed the questions; keep what that took."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from hoptrail.indexing.options import IndexOptions
    from hoptrail.indexing.pipeline import Indexer
    from hoptrail.models.embedder import load_embedder
    from hoptrail.stores.knowledge_base import KnowledgeBase

    folder.mkdir(parents=True)
    corpus = folder / "corpus.jsonl"
    with (data / CORPUS).open() as lines:
        corpus.write_text(
            "".join(line for i, line in enumerate(lines) if limit is None or i < limit)
        )
    questions = [
        json.loads(line)["question"] for name in QUESTIONS for line in (data / name).open()
    ]
    embedder = TimedEmbedder(load_embedder("all-MiniLM-L6-v2"))
    with KnowledgeBase.open(folder / "kb", embedder=embedder, create=True) as kb:
        started = time.perf_counter()
        Indexer(kb).index([corpus], IndexOptions(extractor="nlp"))
        seconds = time.perf_counter() - started
        counts = kb.counts()
    took = {"seconds": seconds, "embedding": embedder.seconds, "memory": peak_memory(), **counts}
    np.save(folder / "questions.npy", embedder.embed(questions))
    (folder / "questions.json").write_text(json.dumps(questions))
    corpus.unlink()
    (folder / "build.json").write_text(json.dumps(took))


class TimedEmbedder:
    """An embedder that adds up the seconds it takes, of the clock and of the processor."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.seconds = 0.0
        self.processor_seconds = 0.0

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._embedder.name

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._embedder.dim

    @property
    def static(self) -> Embedder | None:
        """The embedder's static model, whose time is not counted."""
        from hoptrail.core.embedding import static_of

        return static_of(self._embedder)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of the texts, shape (len(texts), dim)."""
        started, worked = time.perf_counter(), time.process_time()
        vectors = self._embedder.embed(texts)
        self.seconds += time.perf_counter() - started
        self.processor_seconds += time.process_time() - worked
        return vectors


def indexing(folder: Path) -> list[Figure]:
    """Return what building the knowledge base took."""
    took = json.loads((folder / "build.json").read_text())
    beyond = took["seconds"] - took["embedding"]
    size = (
        f"{took['chunks']:,} chunks, {took['entities']:,} entities, {took['relations']:,} relations"
    )
    return [
        Figure("knowledge base", size),
        Figure("embedding alone", f"{took['embedding']:.1f} s"),
        Figure(
            "indexing beyond embedding",
            f"{beyond:.1f} s",
            "15 % of embedding",
            f"{beyond / took['embedding']:.1%} of embedding",
        ),
        Figure("peak memory, indexing", f"{took['memory']:.0f} MiB"),
    ]


def retrieval(folder: Path) -> list[Figure]:
    """Return the time of each retriever with the question vector given, and of compression."""
    from hoptrail.retrievers.registry import RETRIEVERS
    from hoptrail.stores.knowledge_base import KnowledgeBase

    questions: list[str] = json.loads((folder / "questions.json").read_text())
    vectors = np.load(folder / "questions.npy")
    with KnowledgeBase.open(folder / "kb") as kb:
        matrix = kb.vectors("chunk").vectors(kb.index.chunk_ids)
        base, _ = timed(lambda place: matrix @ vectors[place], len(questions))
        figures = [Figure("one product with all passages, p50", milliseconds(base))]
        for name in sorted(RETRIEVERS):
            seconds, found = time_retriever(kb, name, questions, vectors)
            figures += percentiles(name, seconds, base, "60 ms" if name == "ket" else "")
            if name == "ket":
                figures += compression(questions, found, base)
    return [*figures, Figure("peak memory, retrieval", f"{peak_memory():.0f} MiB")]


def time_retriever(
    kb: KnowledgeBase, name: str, questions: Sequence[str], vectors: FloatArray
) -> tuple[list[float], list[Evidence]]:
    """Return the seconds and the evidence of each question."""
    from hoptrail.retrievers.registry import make_retriever

    retriever = make_retriever(name, kb, budget=BUDGET)
    return timed(
        lambda place: retriever.retrieve(questions[place], vector=vectors[place]), len(questions)
    )


def compression(
    questions: Sequence[str], found: Sequence[Evidence], base: Sequence[float]
) -> list[Figure]:
    """Return the time of the graph walk on what `ket` found."""
    from hoptrail.retrievers.graph_walk_compressor import GraphWalkCompressor

    compressor = GraphWalkCompressor(budget=COMPRESSED)
    seconds, _ = timed(
        lambda place: compressor.compress(questions[place], found[place]), len(questions)
    )
    return percentiles(f"graph walk, {BUDGET:,} to {COMPRESSED:,} tokens", seconds, base, "15 ms")


def start_up() -> list[Figure]:
    """Return the seconds of `import hoptrail` and `hoptrail --help`."""
    bare = command_seconds("pass")
    figures = [Figure("bare interpreter", f"{bare:.3f} s")]
    for name, code in {
        "import hoptrail": "import hoptrail",
        "hoptrail --help": "import sys; sys.argv = ['hoptrail', '--help']\n"
        "from hoptrail.cli import main; main()",
    }.items():
        seconds = command_seconds(code)
        figures.append(Figure(name, f"{seconds:.3f} s", "0.3 s", f"{seconds / bare:.1f} x bare"))
    return figures


def command_seconds(code: str, runs: int = 7) -> float:
    """Return the median wall-clock seconds of a Python process that runs the code."""
    seconds = []
    for _ in range(runs):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - started)
    return float(np.median(seconds))


def timed(work: Callable[[int], Any], runs: int) -> tuple[list[float], list[Any]]:
    """Return the seconds and results of `work(0)`, `work(1)`, ... after a warm-up."""
    for place in range(min(5, runs)):
        work(place)
    seconds, results = [], []
    for place in range(runs):
        started = time.perf_counter()
        results.append(work(place))
        seconds.append(time.perf_counter() - started)
    return seconds, results


def percentiles(
    name: str, seconds: Sequence[float], base: Sequence[float], target: str
) -> list[Figure]:
    """Return the median and the 95th percentile."""
    ratio = f"{np.median(seconds) / np.median(base):.0f} x one product"
    return [
        Figure(f"{name}, p50", milliseconds(seconds), target, ratio),
        Figure(f"{name}, p95", milliseconds(seconds, 95)),
    ]


def milliseconds(seconds: Sequence[float], percentile: float = 50) -> str:
    """Return a percentile in milliseconds."""
    return f"{1000 * np.percentile(seconds, percentile):.1f} ms"


def peak_memory() -> float:
    """Return the most memory that this process had, in MiB."""
    unit = 1 if platform.system() == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def report(figures: Sequence[Figure]) -> None:
    """Print the figures as a table."""
    width = max(len(figure.name) for figure in figures)
    for figure in figures:
        target = f"  (target: {figure.target})" if figure.target else ""
        print(f"{figure.name:<{width}}  {figure.value:<12}  {figure.ratio}{target}".rstrip())


if __name__ == "__main__":
    sys.exit(main())
