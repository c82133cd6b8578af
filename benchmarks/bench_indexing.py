"""Measures how indexing, answering and changing a base grow with its documents, without a model.

Generated articles are indexed by rules and their communities found; 200 questions over two and
three of the first 1,000 articles are asked, the same at every size; then one document is added, one
replaced and one deleted, three times over, and 1,000 at once; then the questions are asked again.
Each part is a process of its own, for the sake of its peak memory. Seconds are without the
embedder, which only hashes words unless `--embedder` names another, and in one thread, for others
would add the time that they wait. Growth is judged by the processor's seconds, which other work on
the machine hardly changes: no stage may grow faster than n log n, and one document has to come, be
replaced and go within the seconds that `_TARGETS` names.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice, pairwise
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

from bench import TimedEmbedder, peak_memory
from bench_corpus import HASHING, make_embedder
from generated_corpus import Article, asked, generated, renewed, write_corpus

if TYPE_CHECKING:
    from hoptrail.indexing.options import IndexOptions
    from hoptrail.stores.knowledge_base import KnowledgeBase

SIZES = (1_000, 10_000)
QUESTIONS = 200
ANSWERED = 40  # of these, without a model; passages are found for all
AMONG = 1_000  # articles that the questions are about
MANY = 1_000  # documents that come and go at once
TIMES = 3  # that one document comes and goes
SOURCE = "generated"
SPARE = 1.3  # times n log n that is put down to chance
SHORTEST = 1.0  # second; what takes less at the larger size is not judged
_ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_PARTS = ("index", "ask", "change", "ask again")
# The most that a figure may be at the largest size.
_TARGETS = {
    "peak memory, MiB": 2048.0,
    "add one, s of the processor": 1.0,
    "replace one, s of the processor": 3.0,
    "delete one, s of the processor": 3.0,
    "setwise p50, ms of the processor": 60.0,
}


@dataclass
class Measured:
    """Seconds and other figures of the parts of a run over one size.

    Attributes:
        seconds: By stage, of the clock and of the processor, both beyond the embedder.
        figures: Other figures by name.
    """

    seconds: dict[str, tuple[float, float]] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)


def main() -> int:
    """Run the benchmark, print its figures, and fail where a stage grows too fast."""
    parser = argparse.ArgumentParser(description="Measure how a base grows with its documents.")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="documents, ascending")
    parser.add_argument("--embedder", default=HASHING, help="hashing, or a sentence embedder")
    parser.add_argument("--scratch", type=Path, help="where the bases are made, and left")
    parser.add_argument("--part", choices=_PARTS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        clock = StageClock(TimedEmbedder(make_embedder(arguments.embedder)))
        _RUN[arguments.part](arguments.scratch, arguments.sizes[0], clock)
        print(json.dumps(asdict(clock.measured)))
        return 0
    print(f"embedder: {arguments.embedder}", flush=True)
    found = []
    for size in arguments.sizes:
        with tempfile.TemporaryDirectory(prefix="hoptrail-") as scratch:
            folder = (arguments.scratch or Path(scratch)) / str(size)
            folder.mkdir(parents=True)
            found.append(_measure(folder, size, arguments.embedder))
    return _report(arguments.sizes, found)


def _measure(folder: Path, size: int, embedder: str) -> Measured:
    """Run the parts over so many documents, each in a process of its own."""
    together = Measured()
    for part in _PARTS:
        command = [sys.executable, __file__, "--sizes", str(size), "--embedder", embedder]
        done = subprocess.run(
            [*command, "--scratch", str(folder), "--part", part],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env=_ONE_THREAD,
        )
        one = Measured(**json.loads(done.stdout))
        together.seconds |= one.seconds
        together.figures |= one.figures
    memory = [value for name, value in together.figures.items() if name.startswith("memory")]
    together.figures["peak memory, MiB"] = max(memory)
    print(f"{size:,}: {json.dumps(asdict(together))}", flush=True)
    return together


class StageClock:
    """Adds up the seconds of each stage; implements `hoptrail.core.progress.Progress`.

    Args:
        embedder: What it takes is left out.
    """

    def __init__(self, embedder: TimedEmbedder) -> None:
        self.embedder = embedder
        self.measured = Measured()
        self._part = ""
        self._starts: dict[str, tuple[float, float]] = {}

    def begin(self, part: str) -> None:
        """Begin a part of the work, which has stages."""
        self.end()
        self._part = part
        self.start("all of it", None)

    def end(self) -> None:
        """End the part that goes on."""
        if self._part:
            self.finish("all of it")
        self._part = ""

    def start(self, stage: str, total: int | None) -> None:
        """Note when a stage begins."""
        self._starts[stage] = self.now()

    def advance(self, stage: str, steps: int = 1) -> None:
        """Do nothing: only whole stages are timed."""

    def finish(self, stage: str) -> None:
        """Add what the stage took."""
        name = f"{self._part}: {stage.partition(',')[0]}"  # the levels of reports together
        clock, processor = (
            now - begun for now, begun in zip(self.now(), self._starts[stage], strict=True)
        )
        print(f"{name}: {clock:.2f} s, {processor:.2f} s", file=sys.stderr, flush=True)
        known = self.measured.seconds.get(name, (0.0, 0.0))
        self.measured.seconds[name] = (known[0] + clock, known[1] + processor)

    def now(self) -> tuple[float, float]:
        """Return the seconds of the clock and of the processor, without those of the embedder."""
        return (
            time.perf_counter() - self.embedder.seconds,
            time.process_time() - self.embedder.processor_seconds,
        )


def index(folder: Path, size: int, clock: StageClock) -> None:
    """Index the first documents and find their communities."""
    from hoptrail.indexing.communities.building import CommunityBuilder
    from hoptrail.indexing.options import CommunityOptions
    from hoptrail.indexing.pipeline import Indexer

    corpus = folder / "corpus.jsonl"
    write_corpus(corpus, size)
    figures = clock.measured.figures
    with _opened(folder, clock, create=True) as kb:
        clock.begin("index")
        Indexer(kb, progress=clock).index([corpus], _by_rules())
        clock.end()
        figures["memory of index, MiB"] = peak_memory()
        clock.begin("communities")
        CommunityBuilder(kb, progress=clock).build(CommunityOptions(extractive=True))
        clock.end()
        figures |= {name: float(count) for name, count in kb.counts().items()}
    figures["memory of communities, MiB"] = peak_memory()
    figures["embedding, s"] = clock.embedder.seconds
    figures |= _disk(folder / "kb", "indexed")
    figures["text, MB"] = sum(len(one.text.encode()) for one in generated(size)) / 1e6


def change(folder: Path, size: int, clock: StageClock) -> None:
    """Add, replace and delete one document, again and again, and then many at once."""
    figures = clock.measured.figures
    more = list(islice(generated(size + TIMES + MANY), size, None))
    changed = list(renewed(generated(size)))
    with _opened(folder, clock) as kb:
        for place in range(TIMES):
            replaced = changed[(place + 1) * size // (TIMES + 1)]
            for name, seconds in _change(kb, clock, "one", folder, [more[place]], [replaced]):
                figures[name] = max(figures.get(name, 0.0), seconds)
        step = max(1, size // MANY)
        _ = dict(_change(kb, clock, f"{MANY:,}", folder, more[TIMES:], changed[::step][:MANY]))
    figures["memory of change, MiB"] = peak_memory()
    figures |= _disk(folder / "kb", "changed")


def _change(
    kb: KnowledgeBase,
    clock: StageClock,
    name: str,
    folder: Path,
    added: Sequence[Article],
    replaced: Sequence[Article],
) -> Iterator[tuple[str, float]]:
    """Yield what each took, in seconds."""
    from hoptrail.indexing.pipeline import Indexer

    indexer = Indexer(kb, progress=clock)
    before = kb.counts()["documents"]

    def put(articles: Iterable[Article]) -> None:
        file = folder / "more.jsonl"
        file.write_text("".join(article.row() for article in articles), encoding="utf-8")
        indexer.index([file], _by_rules())

    works: dict[str, Callable[[], object]] = {
        "add": lambda: put(added),
        "replace": lambda: put(replaced),
        "delete": lambda: indexer.delete([f"{SOURCE}/{article.id}" for article in added]),
    }
    for what, work in works.items():
        clock.begin(f"{what} {name}")
        started = clock.now()
        work()
        spent = [now - begun for now, begun in zip(clock.now(), started, strict=True)]
        clock.end()
        yield f"{what} {name}, s of the clock", spent[0]
        yield f"{what} {name}, s of the processor", spent[1]
        expected = before if what == "delete" else before + len(added)
        if kb.counts()["documents"] != expected:
            raise AssertionError(f"{what}: {kb.counts()['documents']} documents, not {expected}")


def ask(folder: Path, size: int, clock: StageClock, again: str = "") -> None:
    """Ask the questions: what is found within the first places, and the answers without a model."""
    from hoptrail import Hoptrail
    from hoptrail.core.settings import Settings
    from hoptrail.models.embedder import register_embedder

    like = {article.id: article.like for article in generated(size)}
    questions = asked(min(size, AMONG), QUESTIONS)
    figures = clock.measured.figures
    settings = Settings(embedder=clock.embedder.name)
    register_embedder(clock.embedder.name, clock.embedder)
    started = clock.now()[0]
    with Hoptrail.open(folder / "kb", settings=settings, preset="offline") as hoptrail:
        retriever = hoptrail.retriever("setwise")
        retriever.retrieve("Which town is the first?")
        figures[f"first question{again}, s"] = clock.now()[0] - started
        spent: list[list[float]] = []
        recalls: list[float] = []
        whole = right = 0
        for question in questions:
            began = clock.now()
            evidence = retriever.retrieve(question.text)
            spent.append([now - then for now, then in zip(clock.now(), began, strict=True)])
            ids = [hit.item.doc_id.rpartition("/")[2] for hit in evidence.chunks[:10]]
            found = {like.get(id_, id_) for id_ in ids}
            has = [one in found for one in question.support]
            recalls.append(statistics.mean(has))
            whole += all(has)
        clock.begin(f"answers{again}")
        for question in questions[:ANSWERED]:
            right += hoptrail.ask(question.text).text == question.answer
        clock.end()
    for kind, seconds in zip(("clock", "processor"), zip(*spent, strict=True), strict=True):
        figures[f"setwise{again} p50, ms of the {kind}"] = 1000 * statistics.median(seconds)
        p95 = statistics.quantiles(seconds, n=20)[-1]
        figures[f"setwise{again} p95, ms of the {kind}"] = 1000 * p95
    figures[f"recall@10{again}, %"] = 100 * statistics.mean(recalls)
    figures[f"all found@10{again}, %"] = 100 * whole / len(questions)
    figures[f"answers right{again}, %"] = 100 * right / ANSWERED
    figures[f"memory of questions{again}, MiB"] = peak_memory()


_RUN: dict[str, Callable[[Path, int, StageClock], None]] = {
    "index": index,
    "ask": ask,
    "change": change,
    "ask again": lambda folder, size, clock: ask(folder, size, clock, " after changes"),
}


def _opened(folder: Path, clock: StageClock, *, create: bool = False) -> KnowledgeBase:
    from hoptrail.stores.knowledge_base import KnowledgeBase

    path = folder / "kb"
    return KnowledgeBase.open(path, embedder=clock.embedder, create=create, writable=True)


def _by_rules() -> IndexOptions:
    from hoptrail.indexing.options import IndexOptions

    return IndexOptions(source=SOURCE, extractor="nlp")


def _disk(kb: Path, when: str) -> dict[str, float]:
    """Return the megabytes of the records and of the arrays."""
    sizes = {path: path.stat().st_size / 1e6 for path in kb.rglob("*") if path.is_file()}
    records = sum(size for path, size in sizes.items() if ".sqlite" in path.name)
    return {
        f"disk, records, {when}, MB": records,
        f"disk, arrays, {when}, MB": sum(sizes.values()) - records,
    }


def _report(sizes: Sequence[int], found: Sequence[Measured]) -> int:
    """Print a line per stage and figure, and return 1 where something is too much."""
    heads = "".join(f"{size:>20,}" for size in sizes)
    print(f"{'stage':34}{heads}   times n log n")
    failed = False
    for stage in found[-1].seconds:
        spent = [one.seconds.get(stage, (0.0, 0.0)) for one in found]
        measured = [(size, one[1]) for size, one in zip(sizes, spent, strict=True)]
        ratios = [_growth(*one, *other) for one, other in pairwise(measured)]
        too_fast = any(
            ratio > SPARE and one[1] >= SHORTEST
            for ratio, one in zip(ratios, measured[1:], strict=True)
        )
        failed |= too_fast
        row = "".join(f"{f'{clock:.2f} ({processor:.2f}) s':>20}" for clock, processor in spent)
        print(f"{stage:34}{row}   {' '.join(f'{ratio:5.2f}' for ratio in ratios)}", end="")
        print("  too fast" if too_fast else "")
    print(f"{'figure':34}{heads}")
    for name in found[-1].figures:
        values = [one.figures.get(name, 0.0) for one in found]
        most = _TARGETS.get(name)
        missed = most is not None and values[-1] > most
        failed |= missed
        row = "".join(f"{value:>20,.1f}" for value in values)
        told = f"  at most {most:g}{': missed' if missed else ''}" if most is not None else ""
        print(f"{name:34}{row}{told}")
    return int(failed)


def _growth(size: int, spent: float, larger: int, longer: float) -> float:
    """Return how a stage grew from one size to the next, as a multiple of n log n."""
    if spent <= 0 or longer <= 0:
        return 0.0
    return (longer / spent) / (larger * log(larger) / (size * log(size)))


if __name__ == "__main__":
    sys.exit(main())
