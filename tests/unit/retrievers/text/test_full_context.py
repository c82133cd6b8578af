from __future__ import annotations

from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase


def test_passages_come_in_the_order_of_the_documents(ships: KnowledgeBase) -> None:
    evidence = make_retriever("full", ships, k=1, budget=100_000).retrieve("anything")

    places = [(hit.item.doc_id, hit.item.start) for hit in evidence.chunks]
    assert places == sorted(places)
    assert len(places) == len(ships.index.chunk_ids)


def test_a_small_budget_keeps_the_first_passages(ships: KnowledgeBase) -> None:
    whole = make_retriever("full", ships, budget=100_000).retrieve("anything")
    first = make_retriever("full", ships, k=1, budget=0).retrieve("anything")

    assert first.chunks == whole.chunks[:1]
