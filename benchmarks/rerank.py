"""Measures what a reranker does for retrievers: recall with it and without, over question sets.

    python benchmarks/rerank.py --kb hotpotqa/dev98=KB --kb musique/train100=KB \
        --reranker cross-encoder:cross-encoder/ms-marco-MiniLM-L6-v2

Each `--kb` names a question file in the data sets' folder and the knowledge base of its corpus.
Rerankers are those of the settings (`HOPTRAIL_RERANKER_BASE_URL` and so on). `bi-encoder`, the
default, is none to use but one that can be had everywhere: a server on loopback that scores by the
base's own vectors of the passages, and so shows what the way there and back costs.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data_sets import data_folder

from hoptrail import Hoptrail
from hoptrail.core.budget import Meter, booking_to
from hoptrail.core.settings import load_settings
from hoptrail.eval.metrics.answer_scores import all_support_at, recall_at
from hoptrail.eval.questions.question import GoldResolver
from hoptrail.eval.questions.reader import load_questions
from hoptrail.eval.systems.system import ranked_passages
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.testing.rerank_stub import RerankStubServer, results

BI_ENCODER = "bi-encoder"
NONE = "none"
RANKED = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the ids of its gold documents."""

    text: str
    gold: tuple[str, ...]


def main() -> None:
    """Print a row for each set, retriever and reranker."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kb", action="append", required=True, metavar="SET=KB")
    parser.add_argument("--retriever", action="append", metavar="R")
    parser.add_argument("--reranker", action="append", metavar="NAME")
    parser.add_argument("--reranked", type=int, default=50, help="passages that it scores")
    arguments = parser.parse_args()
    pairs = [pair.partition("=")[::2] for pair in arguments.kb]
    folder = data_folder(*(f"{name}.jsonl" for name, _ in pairs))
    print("| set | retriever | reranker | R@2 | R@5 | R@10 | all support @5 | seconds | failed |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, kb in pairs:
        for retriever in arguments.retriever or ["setwise"]:
            for reranker in (NONE, *(arguments.reranker or [BI_ENCODER])):
                with opened(Path(kb), reranker) as (hoptrail, wanted):
                    asked = questions(hoptrail, folder / f"{name}.jsonl")
                    chosen = hoptrail.retriever(
                        retriever, k=RANKED, reranker=wanted, reranked=arguments.reranked
                    )
                    figures = measure(chosen, asked)
                cells = (name, retriever, reranker, *figures)
                print(f"| {' | '.join(cells)} |", flush=True)


@contextmanager
def opened(kb: Path, reranker: str) -> Iterator[tuple[Hoptrail, str]]:
    """Yield the knowledge base, and the reranker by the name that its settings know."""
    settings = load_settings()
    if reranker != BI_ENCODER:
        with Hoptrail.open(kb, settings=settings) as hoptrail:
            yield hoptrail, reranker
        return
    with RerankStubServer() as server:
        chosen = settings.model_copy(update={"reranker_base_url": server.url})
        with Hoptrail.open(kb, settings=chosen) as hoptrail:
            server.reply = by_vectors(hoptrail.retriever("vector").kb)
            yield hoptrail, f"endpoint:{BI_ENCODER}"


def by_vectors(kb: KnowledgeSource) -> Callable[[dict[str, Any]], Any]:
    """Return what scores passages by the base's vectors of them."""

    def reply(body: dict[str, Any]) -> Any:
        scores = kb.embed_texts(body["documents"]) @ kb.embed_query(body["query"])
        return results(scores.tolist())

    return reply


def questions(hoptrail: Hoptrail, file: Path) -> list[Asked]:
    """Return the questions whose gold documents are in the base."""
    kb = hoptrail.knowledge_base
    resolver = GoldResolver(kb.store.documents([one.id for one in kb.document_records()]))
    found = ((one, resolver.resolve(one).documents) for one in load_questions(file))
    return [Asked(one.text, tuple(gold)) for one, gold in found if gold]


def measure(retriever: Retriever, asked: Sequence[Asked]) -> list[str]:
    """Return recall at 2, 5 and 10, all support at 5, the median seconds, and failed orders."""
    scores: list[list[float]] = []
    seconds: list[float] = []
    failed = 0
    for question in asked:
        meter = Meter("retrieve")
        started = time.perf_counter()
        with booking_to(meter):
            evidence = retriever.retrieve(question.text)
        seconds.append(time.perf_counter() - started)
        failed += meter.degraded
        hits = ranked_passages(evidence.chunks, RANKED)
        documents = list(dict.fromkeys(hit.item.doc_id for hit in hits))
        recalls = [recall_at(k, documents, question.gold) for k in (2, 5, 10)]
        scores.append([*recalls, all_support_at(5, documents, question.gold)])
    means = [statistics.fmean(column) for column in zip(*scores, strict=True)]
    return [*(f"{mean:.3f}" for mean in means), f"{statistics.median(seconds):.3f}", str(failed)]


if __name__ == "__main__":
    main()
