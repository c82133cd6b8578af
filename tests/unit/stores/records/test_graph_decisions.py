from __future__ import annotations

from collections.abc import Callable

from hoptrail.core.types import Entity, Relation
from hoptrail.stores.knowledge_base import KnowledgeBase


def put_films(kb: KnowledgeBase, publish: Callable[[], int]) -> None:
    entities = [
        Entity("a", "Alien", "film"),
        Entity("b", "Brazil", "film"),
        Entity("g", "Terry Gilliam", "person"),
        Entity("m", "m.0abc", "film"),
        Entity("s", "Ridley Scott", "person"),
        Entity("x", "loose", ""),
    ]
    relations = [
        Relation("1", "a", "directed by", "s"),
        Relation("2", "b", "directed by", "g"),
        Relation("3", "b", "starred", "g"),
        Relation("4", "m", "directed by", "s"),
    ]
    kb.replace_graph(entities, relations, [])
    publish()


def test_types_are_proposed_with_number_examples_and_predicates(
    kb: KnowledgeBase, publish: Callable[[], int]
) -> None:
    put_films(kb, publish)
    assert kb.schema() == {
        "film": "3 entities, such as Brazil and Alien; "
        "predicates: directed by -> person, starred -> person",
        "person": "2 entities, such as Terry Gilliam and Ridley Scott",
    }


def test_a_description_is_proposed(kb: KnowledgeBase, publish: Callable[[], int]) -> None:
    put_films(kb, publish)
    assert kb.description == (
        "A graph of 6 entities and 4 relations. Its best connected entities are Brazil, "
        "Terry Gilliam and Ridley Scott. Its commonest predicates are directed by and "
        "starred. Its commonest entity types are film and person."
    )


def test_values_are_not_among_the_commonest_types(
    kb: KnowledgeBase, publish: Callable[[], int]
) -> None:
    entities = [
        Entity("a", "Alien", "film"),
        Entity("b", "1979", "date"),
        Entity("c", "3", "number"),
    ]
    relations = [Relation("1", "a", "came out in", "b"), Relation("2", "a", "won", "c")]
    kb.replace_graph(entities, relations, [])
    publish()
    assert kb.description.endswith("Its commonest entity types are film.")


def test_edits_go_before_the_proposal_until_they_are_emptied(
    kb: KnowledgeBase, publish: Callable[[], int]
) -> None:
    kb.put_schema({"film": "A motion picture."})
    kb.put_description("Films and who made them.")
    put_films(kb, publish)
    assert kb.schema() == {"film": "A motion picture."}
    assert kb.info()["schema"] == kb.schema()
    assert kb.info()["description"] == kb.description == "Films and who made them."
    kb.put_schema({})
    kb.put_description("")
    assert list(kb.schema()) == ["film", "person"]
    assert kb.description.startswith("A graph of 6 entities")


def test_an_empty_base_has_neither(kb: KnowledgeBase) -> None:
    kb.publish()
    assert (kb.schema(), kb.description) == ({}, "")
