"""Passages and documents in the order of a ranking."""

from __future__ import annotations

import pytest

from hoptrail.core.types import Chunk, Entity, Evidence, Hit, Path, Relation
from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.system import (
    RetrievedGraph,
    nearest_node,
    ranked_documents,
    ranked_passages,
)
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder

HITS = [
    Hit(Chunk(f"c{number}", doc_id, "", "text", 0, 4)) for number, doc_id in enumerate("abacab", 1)
]


def test_passages_go_on_until_enough_documents_are_among_them() -> None:
    assert [hit.item.id for hit in ranked_passages(HITS, 2)] == ["c1", "c2", "c3"]


def test_all_passages_are_ranked_where_documents_are_few() -> None:
    assert ranked_passages(HITS, 10) == HITS


def test_a_document_ranks_by_its_first_passage() -> None:
    assert ranked_documents([{"doc_id": doc_id} for doc_id in "abacab"]) == ("a", "b", "c")


QUESTION = Question("q", "Which river?", (("River Seine", "Seine"),), line=1)


def make_relation(subject: str, predicate: str, target: str) -> Relation:
    identity = f"{subject}/{predicate}/{target}"
    return Relation(identity, subject, predicate, target, subject=subject, object=target)


LIES_ON = make_relation("Paris", "lies on", "Seine")
FLOWS_INTO = make_relation("The Seine", "flows into", "Channel")


def test_nodes_are_entities_and_ends_of_relations_also_on_paths() -> None:
    evidence = Evidence(
        entities=(Hit(Entity("rome", "Rome")),),
        relations=(Hit(LIES_ON),),
        paths=(Hit(Path((LIES_ON, FLOWS_INTO))),),
    )
    graph = RetrievedGraph.of(evidence)
    assert list(graph.nodes.values()) == ["Rome", "Paris", "Seine", "Channel"]
    assert graph.edges == {("paris", "seine"), ("channel", "seine")}


def test_parallel_relations_are_one_edge_and_loops_none() -> None:
    relations = (LIES_ON, make_relation("Seine", "crosses", "Paris"), make_relation("A", "is", "a"))
    graph = RetrievedGraph.of(Evidence(relations=tuple(Hit(item) for item in relations)))
    assert graph.edges == {("paris", "seine")}


def test_json_names_nodes_and_numbers_the_ends_of_edges() -> None:
    graph = RetrievedGraph.of(Evidence(relations=(Hit(LIES_ON), Hit(FLOWS_INTO))))
    assert graph.to_json() == {"nodes": ["Paris", "Seine", "Channel"], "edges": [[0, 1], [2, 1]]}


def make_graph(*names: str) -> RetrievedGraph:
    return RetrievedGraph({name.casefold(): name for name in names})


def test_a_node_of_an_answers_name_is_at_cosine_one(kb: KnowledgeBase) -> None:
    assert nearest_node(QUESTION, make_graph("Rome", "Seine"), kb) == 1


def test_else_it_is_the_nearest_pair_of_node_and_accepted_form(kb: KnowledgeBase) -> None:
    node, form = HashingEmbedder().embed(["Seine River Museum", "River Seine"])
    found = nearest_node(QUESTION, make_graph("Rome", "Seine River Museum"), kb)
    assert found == pytest.approx(float(node @ form), abs=1e-3)


@pytest.mark.parametrize("answer", ["yes", "Insufficient information"])
def test_there_is_none_for_answers_that_are_no_names(kb: KnowledgeBase, answer: str) -> None:
    question = Question("q", "Is it?", ((answer,),), line=1)
    assert nearest_node(question, make_graph("Rome"), kb) is None


def test_there_is_none_without_nodes(kb: KnowledgeBase) -> None:
    assert nearest_node(QUESTION, make_graph(), kb) is None
    assert nearest_node(QUESTION, None, kb) is None
