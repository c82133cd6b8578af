"""Evidence as the lists of a `retrieve` object (CONTRACT 2)."""

from __future__ import annotations

from itertools import takewhile

from hoptrail.core.types import Chunk, Evidence, Hit, JsonDict

RANKED_DOCUMENTS = 10
"""The deepest ranking that a metric looks at."""


def record_evidence(evidence: Evidence, documents: int = RANKED_DOCUMENTS) -> JsonDict:
    """Return passages, relations and entities, best first.

    Args:
        evidence: What was found.
        documents: Passages are listed until so many distinct documents are among them.
    """
    seen: set[str] = set()

    def is_wanted(hit: Hit[Chunk]) -> bool:
        if len(seen) == documents and hit.item.doc_id not in seen:
            return False
        seen.add(hit.item.doc_id)
        return True

    listed = takewhile(is_wanted, evidence.chunks)
    return {
        "passages": [_passage(rank, hit) for rank, hit in enumerate(listed, 1)],
        "relations": [
            {
                "subject": hit.item.subject,
                "predicate": hit.item.predicate,
                "object": hit.item.object,
                "score": hit.score,
                "chunk_ids": list(hit.item.chunk_ids),
            }
            for hit in evidence.relations
        ],
        "entities": [
            {"id": hit.item.id, "name": hit.item.name, "type": hit.item.type, "score": hit.score}
            for hit in evidence.entities
        ],
    }


def _passage(rank: int, hit: Hit[Chunk]) -> JsonDict:
    return {
        "rank": rank,
        "chunk_id": hit.item.id,
        "doc_id": hit.item.doc_id,
        "title": hit.item.title,
        "score": hit.score,
        "channel": hit.channel,
        "text": hit.item.text,
    }
