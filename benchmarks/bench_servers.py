"""Measures a server beside the folder that was published to it: publishing, questions, memory.

The base is a copy of the one that is named; the vectors of the questions are made beforehand, so
that no process that is measured holds the embedder. Questions to the folder and to the server run
in processes of their own, for the sake of their memory, in the same run. Of each both the clock and
the processor are told; on a busy machine only the second says much.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from bench import Figure, milliseconds, peak_memory, report
from data_sets import data_folder

from hoptrail.core.types import Chunk
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.publication import Publication, bring_in_step
from hoptrail.stores.registry import open_store

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

    from hoptrail.stores.knowledge_source import KnowledgeSource

T = TypeVar("T")
NAME = "bench_servers"
QUESTIONS = ("musique/train100.jsonl", "musique/dev.jsonl")
RETRIEVERS = ("vector", "ppr", "setwise", "multistage", "dagr", "dot")


def main() -> None:
    """Publish a copy of a base, ask folder and server, and replace a document."""
    arguments = parse_arguments()
    if arguments.step is not None:
        ask(arguments)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "kb"
        shutil.copytree(arguments.kb, folder)
        prepare_questions(folder, arguments)
        publish(folder, arguments.server)
        for step in ("folder", "server"):
            command = [sys.executable, __file__, *sys.argv[1:], "--step", step]
            subprocess.run([*command, "--scratch", str(folder)], check=True)
        replace_documents(folder, arguments.server)
        remove(arguments.server)


def parse_arguments() -> argparse.Namespace:
    """Return the command line's arguments."""
    parser = argparse.ArgumentParser(description="Measure a server beside the folder.")
    parser.add_argument("kb", type=Path, help="folder of a knowledge base")
    parser.add_argument("server", help="such as bolt://127.0.0.1:7687; NEO4J_PASSWORD is set")
    parser.add_argument("--retriever", action="append", default=[], metavar="NAME")
    parser.add_argument("--limit", type=int, default=100, help="ask only the first questions")
    parser.add_argument("--step", choices=("folder", "server"), help=argparse.SUPPRESS)
    parser.add_argument("--scratch", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def prepare_questions(folder: Path, arguments: argparse.Namespace) -> None:
    """Write questions and their vectors beside the base, by the embedder that made its vectors."""
    program = (
        "import sys, json, numpy as np\n"
        "from hoptrail.models.embedder import load_embedder\n"
        "name, out, *questions = json.load(sys.stdin)\n"
        "np.save(out, load_embedder(name).embed(questions))\n"
    )
    data = data_folder(*QUESTIONS)
    lines = (json.loads(line) for name in QUESTIONS for line in (data / name).open())
    questions = [line["question"] for line in lines][: arguments.limit]
    with KnowledgeBase.open(folder) as kb:
        embedder = kb.base_description().embedder
    given = json.dumps([embedder, str(folder / "questions.npy"), *questions])
    subprocess.run([sys.executable, "-c", program], input=given, text=True, check=True)
    (folder / "questions.json").write_text(json.dumps(questions))


def publish(folder: Path, server: str) -> None:
    """Publish the whole base."""
    store = open_store(server, NAME)
    with KnowledgeBase.open(folder, writable=True) as kb, timed("the whole base") as took:
        told = bring_in_step(kb, store)
    store.close()
    items = tell(told)
    print(f"  {items / took[0]:,.0f} items a second, {items / took[1]:,.0f} by this processor")


def replace_documents(folder: Path, server: str) -> None:
    """Publish another text of the first document, again and again."""
    store = open_store(server, NAME)
    with KnowledgeBase.open(folder, writable=True) as kb:
        for _ in range(7):
            replace_document(kb)
            with timed("one document"):
                told = bring_in_step(kb, store)
            tell(told)
    store.close()


def ask(arguments: argparse.Namespace) -> None:
    """Ask the folder or the server, and print what that took."""
    from hoptrail.stores.neo4j.connection import Connection

    statements: list[str] = []
    reading = Connection.reading

    def counted(self: Connection, work: Callable[[ManagedTransaction], T]) -> T:
        statements.append(self.address.uri)
        return reading(self, work)

    Connection.reading = counted  # type: ignore[method-assign]
    if arguments.step == "folder":
        with KnowledgeBase.open(arguments.scratch) as kb:
            report(list(questions_to(kb, arguments, statements)))
    if arguments.step == "server":
        store = open_store(arguments.server, NAME)
        report(list(questions_to(store.source(None), arguments, statements)))


def questions_to(
    source: KnowledgeSource, arguments: argparse.Namespace, statements: list[str]
) -> Iterator[Figure]:
    """Yield time, processor time and statements of each retriever, and the memory of it all."""
    from hoptrail.retrievers.registry import make_retriever

    questions: list[str] = json.loads((arguments.scratch / "questions.json").read_text())
    vectors = np.load(arguments.scratch / "questions.npy")
    for name in arguments.retriever or RETRIEVERS:
        retriever = make_retriever(name, source)
        clock, processor, asked = [], [], []
        for question, vector in zip(questions, vectors, strict=True):
            before = len(statements)
            started, worked = time.perf_counter(), time.process_time()
            retriever.retrieve(question, vector=vector)
            clock.append(time.perf_counter() - started)
            processor.append(time.process_time() - worked)
            asked.append(len(statements) - before)
        yield from figures(f"{arguments.step}, {name}", clock, processor, asked)
    yield Figure(f"{arguments.step}, peak memory", f"{peak_memory():.0f} MiB", "400 MiB")


def figures(
    name: str, clock: Sequence[float], processor: Sequence[float], asked: Sequence[int]
) -> list[Figure]:
    """Return the figures of one retriever."""
    shown = [
        Figure(f"{name}, p50", milliseconds(clock)),
        Figure(f"{name}, p95", milliseconds(clock, 95)),
        Figure(f"{name}, processor, p50", milliseconds(processor)),
    ]
    if any(asked):
        most = f"{np.mean(asked):.1f}, at most {max(asked)}"
        shown.append(Figure(f"{name}, statements a question", most, "6"))
    return shown


def replace_document(kb: KnowledgeBase) -> None:
    """Publish another text of the first document in the folder; it states no facts."""
    first = kb.document_records()[0]
    (document,) = kb.store.documents([first.id])
    longer = replace(document, text=f"{document.text} More is not known.")
    end = len(longer.text)
    id_ = Chunk.make_id(longer.id, 0, end, longer.text)
    kb.put_document(longer, [Chunk(id_, longer.id, longer.title, longer.text, 0, end, 100)])
    kb.publish()


def tell(told: Publication | None) -> int:
    """Print and return how many items were written and taken away."""
    if told is None:
        return 0
    put, gone = sum(told.put.values()), sum(told.gone.values())
    print(f"  {put:,} put, {gone:,} gone")
    return put + gone


@contextmanager
def timed(what: str) -> Iterator[list[float]]:
    """Print the seconds that something took; yield a list that gets clock and processor."""
    clock, processor = time.perf_counter(), time.process_time()
    took: list[float] = []
    yield took
    took += [time.perf_counter() - clock, time.process_time() - processor]
    print(f"{what}: {took[0]:.2f} s, of them {took[1]:.2f} s in this process")


def remove(server: str) -> None:
    """Take the base from the server, if the store can."""
    store: Any = open_store(server, NAME)
    getattr(store, "remove", lambda: None)()
    store.close()


if __name__ == "__main__":
    main()
