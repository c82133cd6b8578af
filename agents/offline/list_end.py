"""Whether a list or table may go on where its passage ends."""

from __future__ import annotations

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.core.types import Chunk

_LARGE = 200  # tokens: a shorter passage that opens a document is all of it


def is_cut_off(chunk: Chunk, index: EvidenceIndex) -> bool:
    """Return whether a passage may be a part of a longer list: its document has other passages."""
    is_part = chunk.start > 0 or chunk.tokens >= _LARGE
    return is_part or any(
        one.doc_id == chunk.doc_id and one.id != chunk.id for one in index.chunks.values()
    )
