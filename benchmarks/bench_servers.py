"""Measures servers beside the folder that is published to them: questions, publishing, memory.

A copy of a base is published to the servers that are named: the graph to one, the vectors to one,
and both to both together. The same questions then go to the folder and to each of these, in a
process of its own; the embedder runs in another, so that its memory is not counted. Told are: for
how many questions the first ten passages are those of the folder, and these in the same order;
recall@5; the time of a question by the clock and by this process's processor; its round trips; the
memory; what publishing takes, of the whole base and of one document that is replaced. On a busy
machine the processor's time says more than the clock's.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from embedder_process import EmbedderProcess

from hoptrail.core.settings import ServedBase
from hoptrail.core.types import Chunk
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.services.serving_stores import open_source, publish_to_stores
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.neo4j.connection import Connection as Neo4jConnection
from hoptrail.stores.registry import open_store, open_vector_store

NAME = f"bench_servers_{os.getpid()}"
FIRST, RECALL_AT = 10, 5
REPLACED = 7  # times one document is replaced


@dataclass(frozen=True)
class Asked:
    """Questions to one source with one retriever.

    Attributes:
        passages: Ids of the first ten of each question.
        documents: The documents of the first ten.
        seconds: By the clock.
        processor: Seconds of this process.
        trips: Round trips to servers; parallel requests are one.
    """

    passages: list[list[str]]
    documents: list[list[str]]
    seconds: list[float]
    processor: list[float]
    trips: list[int]


def main() -> None:
    """Publish a copy of a base, ask folder and servers, and replace a document."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    compared = commands.add_parser("compare", help="the folder and servers")
    compared.add_argument("kb", type=Path, help="folder of a knowledge base")
    compared.add_argument("questions", type=Path, nargs="+", help="files, as for `hoptrail eval`")
    compared.add_argument("--graph", help="such as bolt://127.0.0.1:7687")
    compared.add_argument("--vectors", help="such as http://127.0.0.1:19530")
    compared.add_argument("--both-only", action="store_true", help="graph and vectors, not each")
    compared.add_argument("--retrievers", nargs="+", default=sorted(RETRIEVERS))
    compared.add_argument("--limit", type=int, help="questions to ask, all by default")
    asking = commands.add_parser("ask", help="for `compare` itself")
    asking.add_argument("task", type=json.loads)
    arguments = parser.parse_args()
    if arguments.command == "compare":
        compare(arguments)
    else:
        ask(**arguments.task)


def compare(arguments: argparse.Namespace) -> None:
    """Publish to every kind of server, ask it, and print what that gave beside the folder."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "kb"
        shutil.copytree(arguments.kb, folder)
        questions, gold = questions_for(folder, arguments.questions, arguments.limit)
        task = {"questions": questions, "retrievers": arguments.retrievers}
        servers = servers_of(arguments)
        for kind, addresses in servers.items():
            publish(folder, kind, addresses)
        expected: dict[str, Asked] = {}
        print(f"| source | retriever | same {FIRST} | in order | recall@{RECALL_AT} |", end="")
        print(" p50 ms | p95 ms | cpu p50 ms | round trips |")
        print("|" + " --- |" * 9, flush=True)
        for kind, addresses in {"folder": {}, **servers}.items():
            served = ServedBase(records=folder, **addresses).model_dump(mode="json")
            found, memory = in_a_process_of_its_own(
                task | {"name": name_of(kind), "served": served}
            )
            expected = expected or found
            for retriever, asked in found.items():
                print(f"| {kind} | {retriever} | {row_of(asked, expected[retriever], gold)} |")
            print(f"{kind}: {memory}", flush=True)
        for kind, addresses in servers.items():
            replace_documents(folder, kind, addresses)
            remove(kind, addresses)


def questions_for(
    folder: Path, files: Sequence[Path], limit: int | None
) -> tuple[list[str], list[Sequence[str]]]:
    """Return questions and their gold documents, none where the base lacks some."""
    from hoptrail.eval.questions.question import GoldResolver
    from hoptrail.eval.questions.reader import load_questions

    with KnowledgeBase.open(folder) as kb:
        ids = [record.id for record in kb.document_records()]
        resolver = GoldResolver(kb.store.documents(ids))
    questions = [question for file in files for question in load_questions(file)][:limit]
    gold = map(resolver.resolve, questions)
    return [one.text for one in questions], [() if g.missing else g.documents for g in gold]


def servers_of(arguments: argparse.Namespace) -> dict[str, dict[str, str]]:
    """Return the addresses by kind of source."""
    servers: dict[str, dict[str, str]] = {}
    if arguments.graph and not arguments.both_only:
        servers["neo4j"] = {"graph": arguments.graph}
    if arguments.vectors and not arguments.both_only:
        servers["milvus"] = {"vectors": arguments.vectors}
    if arguments.graph and arguments.vectors:
        servers["neo4j+milvus"] = {"graph": arguments.graph, "vectors": arguments.vectors}
    return servers


def name_of(kind: str) -> str:
    """Return the name of the base on the servers."""
    return f"{NAME}_{kind.replace('+', '_')}"


def publish(folder: Path, kind: str, addresses: Mapping[str, str]) -> None:
    """Publish the folder's base, all of it the first time, and print what that took."""
    served = ServedBase(records=folder, **addresses)
    with KnowledgeBase.open(folder, writable=True) as kb:
        clock, processor = time.perf_counter(), time.process_time()
        reports = publish_to_stores(kb, name_of(kind), served)
        clock, processor = time.perf_counter() - clock, time.process_time() - processor
    if any(report.error for report in reports):
        raise SystemExit(f"{kind}: {[report.error for report in reports]}")
    written = sum(report.written + report.removed for report in reports)
    print(
        f"published for {kind}: {written:,} items in {clock:.2f} s, {written / clock:,.0f} a "
        f"second; {processor:.2f} s of this process",
        flush=True,
    )


def replace_documents(folder: Path, kind: str, addresses: Mapping[str, str]) -> None:
    """Publish another text of the first document, again and again; it states no facts."""
    for _ in range(REPLACED):
        with KnowledgeBase.open(folder, writable=True) as kb:
            first = kb.document_records()[0]
            (document,) = kb.store.documents([first.id])
            longer = replace(document, text=f"{document.text} More is not known.")
            end = len(longer.text)
            id_ = Chunk.make_id(longer.id, 0, end, longer.text)
            kb.put_document(longer, [Chunk(id_, longer.id, longer.title, longer.text, 0, end, 100)])
            kb.publish()
        publish(folder, kind, addresses)


def remove(kind: str, addresses: Mapping[str, str]) -> None:
    """Take the base from the servers."""
    openers = {"graph": open_store, "vectors": open_vector_store}
    for role, address in addresses.items():
        store: Any = openers[role](address, name_of(kind))
        store.remove()
        store.close()


def in_a_process_of_its_own(task: dict[str, Any]) -> tuple[dict[str, Asked], str]:
    """Return what `ask` prints for a task."""
    command = [sys.executable, __file__, "ask", json.dumps(task)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{task['name']}: the process that asks failed")
    result = json.loads(done.stdout)
    return {name: Asked(**asked) for name, asked in result["found"].items()}, result["memory"]


def ask(name: str, served: dict[str, Any], questions: list[str], retrievers: list[str]) -> None:
    """Ask one source all questions with each retriever, and print what that gave as JSON."""
    base = ServedBase.model_validate(served)
    if base.vectors is None:
        # Neo4j's driver imports them where they are, 100 MB; `hoptrail[neo4j]` does not bring them.
        sys.modules.update(dict.fromkeys(("pandas", "pyarrow")))  # type: ignore[arg-type]
    rounds = counted_rounds(with_vectors=base.vectors is not None)
    found: dict[str, Asked] = {}
    with EmbedderProcess() as embedder, KnowledgeBase.open(base.records, embedder=embedder) as kb:
        embedder.embed(questions)
        before = memory()
        for retriever in retrievers:
            with source_of(kb, name, base) as source:  # what one knows helps no other
                make_retriever("bm25", source).retrieve(questions[0])
                found[retriever] = asked_by(
                    make_retriever(retriever, source, k=FIRST), questions, rounds
                )
            gc.collect()  # what the last source held is no memory of the next
    told = f"{before} before, {memory()} after all questions"
    print(json.dumps({"found": {key: asdict(one) for key, one in found.items()}, "memory": told}))


@contextmanager
def source_of(kb: KnowledgeBase, name: str, base: ServedBase) -> Iterator[Any]:
    """Open what questions are answered from; its connections are closed in the end."""
    source, connections = open_source(kb, name, base)
    with ExitStack() as stack:
        stack.enter_context(connections)
        yield source


def asked_by(retriever: Any, questions: Sequence[str], rounds: list[str]) -> Asked:
    """Ask all questions."""
    asked = Asked([], [], [], [], [])
    for question in questions:
        rounds.clear()
        clock, processor = time.perf_counter(), time.process_time()
        evidence = retriever.retrieve(question)
        asked.seconds.append(time.perf_counter() - clock)
        asked.processor.append(time.process_time() - processor)
        asked.trips.append(len(rounds))
        first = [hit.item for hit in evidence.chunks[:FIRST]]
        asked.passages.append([chunk.id for chunk in first])
        asked.documents.append([chunk.doc_id for chunk in first])
    return asked


def row_of(asked: Asked, expected: Asked, gold: Sequence[Sequence[str]]) -> str:
    """Return the columns of one retriever."""
    both = list(zip(asked.passages, expected.passages, strict=True))
    same = sum(set(one) == set(other) for one, other in both)
    in_order = sum(one == other for one, other in both)
    recall = [
        len(set(list(dict.fromkeys(documents))[:RECALL_AT]) & set(wanted)) / len(wanted)
        for documents, wanted in zip(asked.documents, gold, strict=True)
        if wanted
    ]
    shown = f"{np.mean(recall):.3f}" if recall else ""
    p50, p95 = 1000 * np.percentile(asked.seconds, (50, 95))
    processor = 1000 * np.median(asked.processor)
    trips = f"{np.median(asked.trips):g}, at most {max(asked.trips)}"
    ten = f"{same}/{len(both)} | {in_order}/{len(both)}"
    return f"{ten} | {shown} | {p50:.1f} | {p95:.1f} | {processor:.1f} | {trips}"


def counted_rounds(*, with_vectors: bool) -> list[str]:
    """Return a list that grows with every round trip to a server.

    What is asked while another request is on its way is of the same round.
    """
    rounds: list[str] = []
    lock, in_flight = Lock(), 0

    def count(owner: type, name: str) -> None:
        method = getattr(owner, name)

        def counted(*arguments: Any, **more: Any) -> Any:
            nonlocal in_flight
            with lock:
                if in_flight == 0:
                    rounds.append(name)
                in_flight += 1
            try:
                return method(*arguments, **more)
            finally:
                with lock:
                    in_flight -= 1

        setattr(owner, name, counted)

    if with_vectors:
        from hoptrail.stores.milvus.reader import MilvusVectors

        for name in ("nearest", "scores", "_fetched"):  # vectors that are held are no trip
            count(MilvusVectors, name)
    count(Neo4jConnection, "reading")
    return rounds


def memory() -> str:
    """Return the memory of this process: what is its own, the pages of files, and the most."""
    sizes = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    own, mapped, most = (
        int(sizes[name].split()[0]) // 1024 for name in ("RssAnon", "RssFile", "VmHWM")
    )
    return f"{own} MB own, {mapped} MB mapped, {most} MB at most"


if __name__ == "__main__":
    main()
