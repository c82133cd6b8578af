"""Evidence as LangChain Documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from langchain_core.documents import Document

from hoptrail.core import types
from hoptrail.core.filters.document_filter import document_fields
from hoptrail.core.types import Chunk, Evidence, Hit, JsonDict, Relation


def to_documents(
    evidence: Evidence, k: int, read_documents: Callable[[Sequence[str]], Sequence[types.Document]]
) -> list[Document]:
    """Return the first `k` passages; of a bare graph, which has none, the first `k` relations.

    The metadata of a passage hold the fields of its document too. One that is called as a field of
    the passage is `metadata.<name>`.

    Args:
        evidence: What was found.
        k: Documents to return.
        read_documents: Returns documents of these ids.
    """
    if not evidence.chunks:
        return [_statement(hit) for hit in evidence.relations[:k]]
    hits = evidence.chunks[:k]
    ids = list(dict.fromkeys(hit.item.doc_id for hit in hits))
    fields = {one.id: document_fields(one) for one in read_documents(ids)}
    return [_passage(hit, fields.get(hit.item.doc_id, {})) for hit in hits]


def _passage(hit: Hit[Chunk], fields: Mapping[str, str]) -> Document:
    chunk = hit.item
    own: JsonDict = {
        "chunk_id": chunk.id,
        "doc_id": chunk.doc_id,
        "title": chunk.title,
        "place": chunk.place,
        "start": chunk.start,
        "end": chunk.end,
        "score": hit.score,
        "channel": hit.channel,
    }
    # Of `title` and `doc_id` the passage's own are the document's.
    further = {
        f"metadata.{name}" if name in own else name: value
        for name, value in fields.items()
        if name not in ("doc_id", "title")
    }
    return Document(page_content=chunk.text, id=chunk.id, metadata={**own, **further})


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
