"""Evidence as LangChain Documents."""

from __future__ import annotations

from langchain_core.documents import Document

from hoptrail.core.types import Chunk, Evidence, Hit, Relation


def to_documents(evidence: Evidence, k: int) -> list[Document]:
    """Return the first `k` passages; of a bare graph, which has none, the first `k` relations."""
    if evidence.chunks:
        return [_passage(hit) for hit in evidence.chunks[:k]]
    return [_statement(hit) for hit in evidence.relations[:k]]


def _passage(hit: Hit[Chunk]) -> Document:
    chunk = hit.item
    return Document(
        page_content=chunk.text,
        id=chunk.id,
        metadata={
            "chunk_id": chunk.id,
            "doc_id": chunk.doc_id,
            "title": chunk.title,
            "place": chunk.place,
            "start": chunk.start,
            "end": chunk.end,
            "score": hit.score,
            "channel": hit.channel,
        },
    )


def _statement(hit: Hit[Relation]) -> Document:
    relation = hit.item
    return Document(
        page_content=relation.text,
        id=relation.id,
        metadata={
            "relation_id": relation.id,
            "subject": relation.subject,
            "predicate": relation.predicate,
            "object": relation.object,
            "score": hit.score,
            "channel": hit.channel,
        },
    )
