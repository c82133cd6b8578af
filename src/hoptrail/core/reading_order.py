"""The order in which passages are best read: the best first, those of one document in its order."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.core.types import Chunk, Hit


def in_reading_order(hits: Sequence[Hit[Chunk]]) -> tuple[Hit[Chunk], ...]:
    """Return the passages with those of one document together, at the place of its best one.

    Args:
        hits: Best first.
    """
    of_document: dict[str, list[Hit[Chunk]]] = {}
    for hit in hits:
        of_document.setdefault(hit.item.doc_id, []).append(hit)
    return tuple(
        hit for some in of_document.values() for hit in sorted(some, key=lambda one: one.item.start)
    )
