from __future__ import annotations

from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase

QUESTION = "Who founded what built Morning Tern?"


def test_candidates_are_merged_without_repetition(bare_graph: KnowledgeBase) -> None:
    relations = make_retriever("multistage", bare_graph).retrieve(QUESTION).relations
    assert len({hit.item.id for hit in relations}) == len(relations) == 4


def test_the_edges_most_similar_to_the_question_are_kept(bare_graph: KnowledgeBase) -> None:
    whole = make_retriever("multistage", bare_graph).retrieve(QUESTION).relations
    kept = make_retriever("multistage", bare_graph, edges=2).retrieve(QUESTION).relations
    assert kept == whole[:2]
    assert [hit.score for hit in whole] == sorted((hit.score for hit in whole), reverse=True)


def test_only_the_best_candidates_count(bare_graph: KnowledgeBase) -> None:
    retriever = make_retriever("multistage", bare_graph, candidates=1, hops=3)
    names = {hit.item.predicate for hit in retriever.retrieve("Quay bread made of rye").relations}
    assert names == {"made of"}
