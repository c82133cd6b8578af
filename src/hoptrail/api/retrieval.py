"""A retrieval as `hoptrail retrieve --json` prints it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hoptrail.core.budget import Meter, booking_to
from hoptrail.core.render import render
from hoptrail.core.types import Chunk, Entity, Evidence, Hit, JsonDict, Relation

if TYPE_CHECKING:
    from hoptrail.retrievers.base.retriever import Retriever


def report_retrieval(retriever: Retriever, question: str) -> JsonDict:
    """Retrieve, and return what was found with its tokens when rendered and the seconds it took.

    `degraded` tells in a line each what went other than it should, such as a reranker that failed.
    """
    started = time.perf_counter()
    meter = Meter("retrieve")
    with booking_to(meter):
        evidence = retriever.retrieve(question)
    seconds = time.perf_counter() - started
    return {
        "question": question,
        "retriever": retriever.name_in_registry,
        "reranker": retriever.reranker and retriever.reranker.name,
        "degraded": meter.notes,
        **report_evidence(evidence, evidence.chunks[: retriever.k]),
        "tokens": render(evidence, retriever.budget).tokens,
        "seconds": round(seconds, 4),
    }


def report_evidence(evidence: Evidence, passages: Sequence[Hit[Chunk]]) -> JsonDict:
    """Return the lists `passages` (those given), `relations` and `entities`."""
    return {
        "passages": [_passage(rank, hit) for rank, hit in enumerate(passages, start=1)],
        "relations": [_relation(hit) for hit in evidence.relations],
        "entities": [_entity(hit) for hit in evidence.entities],
    }


def _passage(rank: int, hit: Hit[Chunk]) -> JsonDict:
    chunk = hit.item
    return {
        "rank": rank,
        "chunk_id": chunk.id,
        "doc_id": chunk.doc_id,
        "title": chunk.title,
        "section": chunk.section,
        "place": chunk.place,
        "score": hit.score,
        "channel": hit.channel,
        "text": chunk.text,
    }


def _relation(hit: Hit[Relation]) -> JsonDict:
    relation = hit.item
    return {
        "subject": relation.subject,
        "predicate": relation.predicate,
        "object": relation.object,
        "score": hit.score,
        "chunk_ids": list(relation.chunk_ids),
    }


def _entity(hit: Hit[Entity]) -> JsonDict:
    entity = hit.item
    return {"id": entity.id, "name": entity.name, "type": entity.type, "score": hit.score}
