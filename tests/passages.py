"""Passages for tests that write them into a base by themselves."""

from __future__ import annotations

from hoptrail.core.types import Chunk


def passage(doc_id: str, title: str, text: str) -> Chunk:
    """Return the one passage of a document, with the id that it has by its place and text."""
    id_ = Chunk.make_id(doc_id, 0, len(text), text)
    return Chunk(id_, doc_id, title, text, 0, len(text), len(text.split()))
