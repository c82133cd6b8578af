from __future__ import annotations

from hoptrail.core.render import render
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase

QUESTION = "How is Morning Tern related to Edda Thorn?"


def test_retrieved_entities_are_joined_by_paths(bare_graph: KnowledgeBase) -> None:
    paths = make_retriever("pathrag", bare_graph, nodes=1).retrieve(QUESTION).paths
    predicates = [tuple(r.predicate for r in hit.item.relations) for hit in paths]
    assert ("built at", "founded by") in {*predicates, *(p[::-1] for p in predicates)}


def test_paths_are_ranked_by_mean_flow_and_counted(bare_graph: KnowledgeBase) -> None:
    retriever = make_retriever("pathrag", bare_graph)
    paths = retriever.retrieve(QUESTION).paths
    scores = [hit.score for hit in paths]
    assert len(paths) > 2
    assert scores == sorted(scores, reverse=True)
    assert make_retriever("pathrag", bare_graph, paths=2).retrieve(QUESTION).paths == paths[:2]


def test_a_high_threshold_prunes_every_path_over_a_branching(bare_graph: KnowledgeBase) -> None:
    evidence = make_retriever("pathrag", bare_graph, threshold=1.0, hops=1).retrieve(QUESTION)
    assert all(len(hit.item.relations) == 1 for hit in evidence.paths)
    whole = make_retriever("pathrag", bare_graph, threshold=0.0).retrieve(QUESTION)
    assert len(evidence.paths) < len(whole.paths)


def test_paths_stand_in_the_prompt(ships: KnowledgeBase) -> None:
    evidence = make_retriever("pathrag", ships).retrieve(QUESTION)
    assert "Paths:" in render(evidence, 3_000).text
