"""MultiHop-RAG (Tang and Yang, 2024): questions over news articles, some without an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256

from hoptrail.core.types import JsonDict
from hoptrail.eval.datasets.example import Example, Passage, PublicSet
from hoptrail.eval.datasets.origin import Origin, Part
from hoptrail.eval.files.fields import Fields

_HUB = "yixuantt/MultiHopRAG"
QUESTIONS = Part(
    files=("MultiHopRAG.json", "dataset/MultiHopRAG.json"),
    hub=(_HUB, "MultiHopRAG"),
    is_whole=True,
)
ARTICLES = Part(
    files=("corpus.json", "dataset/corpus.json"),
    hub=(_HUB, "corpus"),
    is_whole=True,
    is_main=False,
)


def read_multihop_rag(origin: Origin) -> PublicSet:
    """Read all questions, which are not split, and all articles."""
    return PublicSet(_examples(origin), passages=_articles(origin))


def _examples(origin: Origin) -> Iterator[Example | None]:
    seen: set[str] = set()
    for fields in origin.records(QUESTIONS):
        example = _example(fields)
        is_new = example.question["id"] not in seen
        seen.add(example.question["id"])
        yield example if is_new else None


def _articles(origin: Origin) -> Iterator[Passage]:
    return ((item.text("title"), item.text("body")) for item in origin.records(ARTICLES))


def _example(fields: Fields) -> Example:
    evidence = [
        {"title": item.text("title"), "fact": item.text("fact")}
        for item in fields.objects("evidence_list")
    ]
    question: JsonDict = {
        "question": fields.text("query"),
        "answer": fields.text("answer"),
        "question_type": fields.text("question_type"),
        "evidence": evidence,
        "supporting_titles": list(dict.fromkeys(item["title"] for item in evidence)),
    }
    # The set has no ids of its own.
    digest = sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()
    return Example({"id": f"mhr-{digest[:12]}", **question})
