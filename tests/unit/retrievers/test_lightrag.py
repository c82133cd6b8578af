from __future__ import annotations

from hoptrail.core.types import Plan
from hoptrail.retrievers.anchors import spelled_names
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase


def test_low_keywords_find_entities_and_high_ones_relations(bare_graph: KnowledgeBase) -> None:
    plan = Plan(entities=("Quay bread",), keywords=("founded by",))
    retriever = make_retriever("lightrag", bare_graph, items=1, neighbors=1)
    evidence = retriever.retrieve("What is this about?", plan)
    assert {hit.item.predicate for hit in evidence.relations} == {"made of", "founded by"}
    assert {hit.item.name for hit in evidence.entities} == {
        "Quay bread",
        "Alder Yard",
        "Edda Thorn",
    }


def test_without_a_plan_names_and_words_of_the_question_are_the_levels(
    bare_graph: KnowledgeBase,
) -> None:
    retriever = make_retriever("lightrag", bare_graph, items=1, neighbors=0)
    alone = retriever.retrieve("What was founded by the maker of Quay bread?")
    plan = Plan(entities=("Quay",), keywords=("founded", "maker", "bread"))
    assert alone == retriever.retrieve("What was founded by the maker of Quay bread?", plan)


def test_names_are_runs_of_words_with_a_capital_or_a_digit() -> None:
    question = "Which yard of Port Selwick did The Morning Tern leave in 1871?"
    assert spelled_names(question) == ["Port Selwick", "Morning Tern", "1871"]


def test_relations_of_themes_and_of_entities_take_turns(bare_graph: KnowledgeBase) -> None:
    plan = Plan(entities=("Quay bread",), keywords=("founded by",))
    retriever = make_retriever("lightrag", bare_graph, items=1, neighbors=1)
    relations = retriever.retrieve("What is this about?", plan).relations
    assert [(hit.item.predicate, hit.score) for hit in relations] == [
        ("founded by", 1.0),
        ("made of", 0.5),
    ]


def test_an_entity_brings_in_its_relations_nearest_to_the_themes(
    bare_graph: KnowledgeBase,
) -> None:
    retriever = make_retriever("lightrag", bare_graph, items=1, neighbors=1)
    for theme in ("built at", "founded by"):
        plan = Plan(entities=("Alder Yard",), keywords=(theme,))
        relations = retriever.retrieve("What is this about?", plan).relations
        assert [hit.item.predicate for hit in relations] == [theme]


def test_without_neighbors_an_entity_brings_in_no_relation(bare_graph: KnowledgeBase) -> None:
    plan = Plan(entities=("Quay bread",), keywords=("founded by",))
    retriever = make_retriever("lightrag", bare_graph, items=1, neighbors=0)
    relations = retriever.retrieve("What is this about?", plan).relations
    assert [hit.item.predicate for hit in relations] == ["founded by"]


def test_passages_behind_what_the_keywords_find_come_first(ships: KnowledgeBase) -> None:
    retriever = make_retriever("lightrag", ships, k=1, budget=0, items=1, neighbors=1)
    for name in ("Morning Tern", "Lantern Week"):
        [hit] = retriever.retrieve("xyzzy", Plan(entities=(name,), keywords=(name,))).chunks
        assert hit.item.title == name
