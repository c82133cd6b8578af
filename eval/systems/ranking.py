"""The ranking of a question: distinct documents in the order of their first passage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from hoptrail.core.types import Chunk, Hit, JsonDict

RANKED_DOCUMENTS = 10
"""The deepest ranking that a metric looks at."""


def ranked_passages(hits: Iterable[Hit[Chunk]], documents: int) -> list[Hit[Chunk]]:
    """Return the first passages, until so many distinct documents are among them."""
    seen: set[str] = set()

    def is_wanted(hit: Hit[Chunk]) -> bool:
        if len(seen) == documents and hit.item.doc_id not in seen:
            return False
        seen.add(hit.item.doc_id)
        return True

    return list(takewhile(is_wanted, hits))


def ranked_documents(passages: Sequence[JsonDict] | None) -> tuple[str, ...] | None:
    """Return the document ids of a row's `passages`; None where it has no such list."""
    if passages is None:
        return None
    return tuple(dict.fromkeys(passage["doc_id"] for passage in passages))
