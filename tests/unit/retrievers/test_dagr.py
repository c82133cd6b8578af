from __future__ import annotations

from hoptrail.core.types import Plan
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase

QUESTION = "Where was the founder of the yard that built the Morning Tern born?"
STEPS = ("Where was Morning Tern built?", "Alder Yard was founded by whom?")


def test_the_subgraph_joins_the_prizes(bare_graph: KnowledgeBase) -> None:
    evidence = make_retriever("dagr", bare_graph, nodes=2, edges=0, edge_cost=0.1).retrieve(
        "Morning Tern and Edda Thorn"
    )
    assert {hit.item.name for hit in evidence.entities} == {
        "Morning Tern",
        "Alder Yard",
        "Edda Thorn",
    }
    assert {hit.item.predicate for hit in evidence.relations} == {"built at", "founded by"}


def test_sub_questions_give_the_union_of_their_subgraphs(bare_graph: KnowledgeBase) -> None:
    retriever = make_retriever("dagr", bare_graph, nodes=1, edges=1, alpha=0.0)
    whole = retriever.retrieve(QUESTION, Plan(sub_questions=STEPS))
    parts = [retriever.retrieve(QUESTION, Plan(sub_questions=(step,))) for step in STEPS]
    assert {hit.item.id for hit in whole.relations} == {
        hit.item.id for part in parts for hit in part.relations
    }


def test_with_alpha_one_the_graph_is_searched_by_the_question_alone(
    bare_graph: KnowledgeBase,
) -> None:
    retriever = make_retriever("dagr", bare_graph, alpha=1.0)
    step = Plan(sub_questions=("Quay bread made of rye",))
    assert retriever.retrieve(QUESTION, step).relations == retriever.retrieve(QUESTION).relations


def test_a_sub_question_finds_its_passage(ships: KnowledgeBase) -> None:
    plan = Plan(sub_questions=("What does Höfn Museum keep?", "Which bread is made of rye?"))
    chunks = make_retriever("dagr", ships, k=2, budget=0).retrieve(QUESTION, plan).chunks
    assert {hit.item.title for hit in chunks} == {"Höfn Museum", "Quay bread"}


def test_an_edge_that_costs_more_than_its_prizes_joins_nothing(bare_graph: KnowledgeBase) -> None:
    question = "Morning Tern and Edda Thorn"
    retriever = make_retriever("dagr", bare_graph, nodes=2, edges=0, edge_cost=3.0)
    evidence = retriever.retrieve(question)
    assert len(evidence.entities) == 1
    assert not evidence.relations


def test_the_edges_with_a_prize_are_those_nearest_to_the_question(
    bare_graph: KnowledgeBase,
) -> None:
    retriever = make_retriever("dagr", bare_graph, nodes=0, edges=1)
    for predicate in ("built at", "founded by", "made of"):
        [hit] = retriever.retrieve(f"What was {predicate} it?").relations
        assert hit.item.predicate == predicate


def test_with_alpha_zero_a_sub_question_is_searched_alone(bare_graph: KnowledgeBase) -> None:
    retriever = make_retriever("dagr", bare_graph, alpha=0.0, nodes=1, edges=1)
    step = "Quay bread made of what?"
    found = retriever.retrieve(QUESTION, Plan(sub_questions=(step,)))
    alone = retriever.retrieve(step)
    assert found.relations == alone.relations
    assert found.entities == alone.entities
    assert found.relations != retriever.retrieve(QUESTION).relations


def test_a_passage_that_states_a_relation_of_the_tree_rises(ships: KnowledgeBase) -> None:
    question = "Children and lights founded by"
    evidence = make_retriever("dagr", ships, nodes=0, edges=1).retrieve(question)
    [relation] = evidence.relations
    titles = [hit.item.title for hit in evidence.chunks]
    without = make_retriever("dagr", ships, nodes=0, edges=0).retrieve(question).chunks
    assert relation.item.text == "The Alder Yard was founded by Edda Thorn."
    assert titles.index("Alder Yard") < [hit.item.title for hit in without].index("Alder Yard")
