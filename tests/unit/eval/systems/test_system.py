"""Passages and documents in the order of a ranking."""

from __future__ import annotations

from hoptrail.core.types import Chunk, Hit
from hoptrail.eval.systems.system import ranked_documents, ranked_passages

HITS = [
    Hit(Chunk(f"c{number}", doc_id, "", "text", 0, 4)) for number, doc_id in enumerate("abacab", 1)
]


def test_passages_go_on_until_enough_documents_are_among_them() -> None:
    assert [hit.item.id for hit in ranked_passages(HITS, 2)] == ["c1", "c2", "c3"]


def test_all_passages_are_ranked_where_documents_are_few() -> None:
    assert ranked_passages(HITS, 10) == HITS


def test_a_document_ranks_by_its_first_passage() -> None:
    assert ranked_documents([{"doc_id": doc_id} for doc_id in "abacab"]) == ("a", "b", "c")
