"""How well retrieval does on real questions: 12 of MuSiQue over their own 240 passages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoptrail.core.render import render
from hoptrail.core.text import contains_answer
from hoptrail.core.types import Evidence
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.models.embedder import load_embedder
from hoptrail.retrievers.graph_walk_compressor import GraphWalkCompressor
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase

pytestmark = [pytest.mark.slow, pytest.mark.data]

QUESTIONS = 12
BUDGET = 12_000
COMPRESSED = 4_000
Row = dict[str, Any]


def passages(question: Row) -> list[tuple[str, str]]:
    return [(p["title"], p.get("paragraph_text", p.get("text"))) for p in question["paragraphs"]]


@pytest.fixture(scope="module")
def questions(data_dir: Path) -> list[Row]:
    with (data_dir / "musique/train100.jsonl").open() as lines:
        return [json.loads(next(lines)) for _ in range(QUESTIONS)]


@pytest.fixture(scope="module")
def kb(
    data_dir: Path, questions: list[Row], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("musique")
    wanted = {passage for question in questions for passage in passages(question)}
    for name in ("corpus", "openie"):
        with (data_dir / f"musique/train100_{name}.jsonl").open() as lines:
            rows = [line for line in lines if is_wanted(json.loads(line), wanted)]
        (folder / f"{name}.jsonl").write_text("".join(rows))
    embedder = load_embedder("all-MiniLM-L6-v2")
    with KnowledgeBase.open(folder / "kb", embedder=embedder, create=True) as opened:
        options = IndexOptions(extractor="none", triples=(folder / "openie.jsonl",))
        Indexer(opened).index([folder / "corpus.jsonl"], options)
        yield opened


def is_wanted(row: Row, wanted: set[tuple[str, str]]) -> bool:
    return (row["title"], row["text"]) in wanted


def evidence(kb: KnowledgeBase, name: str, questions: list[Row]) -> list[Evidence]:
    retriever = make_retriever(name, kb, budget=BUDGET)
    return [retriever.retrieve(question["question"]) for question in questions]


def recall(kb: KnowledgeBase, found: list[Evidence], questions: list[Row], k: int) -> float:
    shares = []
    for one, question in zip(found, questions, strict=True):
        gold = {passages(question)[place] for place in question["supporting_idx"]}
        ids = list(dict.fromkeys(hit.item.doc_id for hit in one.chunks))[:k]
        seen = {(document.title, document.text) for document in kb.store.documents(ids)}
        shares.append(len(gold & seen) / len(gold))
    return float(np.mean(shares))


def covered(found: list[Evidence], questions: list[Row], budget: int) -> list[bool]:
    return [
        any(
            contains_answer(render(one, budget).text, answer)
            for answer in (question["answer"], *question["answer_aliases"])
        )
        for one, question in zip(found, questions, strict=True)
    ]


def test_the_graph_finds_more_than_vectors_and_vectors_more_than_words(
    kb: KnowledgeBase, questions: list[Row]
) -> None:
    ket, vector, bm25 = (
        recall(kb, evidence(kb, name, questions), questions, 5)
        for name in ("ket", "vector", "bm25")
    )
    assert ket >= vector + 0.05
    assert vector > bm25
    assert ket >= 0.75


def test_layered_evidence_covers_as_many_answers_as_passages_alone(
    kb: KnowledgeBase, questions: list[Row]
) -> None:
    ket, vector = (
        covered(evidence(kb, name, questions), questions, BUDGET) for name in ("ket", "vector")
    )
    assert sum(ket) >= sum(vector)


def test_the_graph_walk_keeps_what_answers(kb: KnowledgeBase, questions: list[Row]) -> None:
    found = evidence(kb, "ket", questions)
    compressor = GraphWalkCompressor(budget=COMPRESSED)
    kept = [
        compressor.compress(question["question"], one)
        for one, question in zip(found, questions, strict=True)
    ]
    assert all(render(one, 100_000).tokens <= COMPRESSED for one in kept)
    before = covered(found, questions, BUDGET)
    after = covered(kept, questions, COMPRESSED)
    still = sum(a and b for a, b in zip(before, after, strict=True))
    assert still >= 0.9 * sum(before)
