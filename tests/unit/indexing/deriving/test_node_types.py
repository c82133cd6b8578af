from __future__ import annotations

import numpy as np

from hoptrail.indexing.deriving.node_types import node_types


def types_of(*facts: tuple[str, str, str]) -> dict[str, str]:
    nodes: dict[str, int] = {}
    predicates: dict[str, int] = {}
    rows = [
        (
            nodes.setdefault(head, len(nodes)),
            predicates.setdefault(relation, len(predicates)),
            nodes.setdefault(tail, len(nodes)),
        )
        for head, relation, tail in facts
    ]
    triples = np.array(rows, dtype=np.int32).reshape(-1, 3)
    found = node_types(list(nodes), list(predicates), triples)
    return dict(zip(nodes, found, strict=True))


def test_a_domain_in_the_predicate_types_its_subjects() -> None:
    found = types_of(
        ("ada", "people.person.place_of_birth", "london"),
        ("ada", "people.person.profession", "mathematician"),
        ("ada", "book.author.works", "notes"),
    )
    assert found["ada"] == "people.person"


def test_general_domains_speak_last() -> None:
    found = types_of(
        ("ada", "common.topic.image", "m.01"),
        ("ada", "common.topic.article", "m.02"),
        ("ada", "people.person.gender", "female"),
        ("m.01", "common.image.size", "m.03"),
    )
    assert (found["ada"], found["m.01"]) == ("people.person", "common.image")


def test_objects_without_a_type_take_the_commonest_of_their_predicate() -> None:
    found = types_of(
        ("ada", "people.person.place_of_birth", "london"),
        ("george", "people.person.place_of_birth", "dover"),
        ("london", "location.location.area", "m.01"),
    )
    assert found["dover"] == "location.location"
    assert found["m.01"] == ""


def test_plain_predicates_whose_roles_share_nodes_give_one_type() -> None:
    found = types_of(
        ("Alien", "directed_by", "Ridley Scott"),
        ("Alien", "starred_actors", "Sigourney Weaver"),
        ("Alien", "written_by", "Ridley Scott"),
        ("Blade Runner", "directed_by", "Ridley Scott"),
        ("Blade Runner", "starred_actors", "Sean Young"),
        ("Cats", "starred_actors", "Elaine Paige"),
    )
    assert found["Alien"] == found["Cats"] == "subject of starred actors"
    assert found["Ridley Scott"] == "object of directed by"
    assert found["Sean Young"] == found["Elaine Paige"] == "object of starred actors"


def test_a_stated_type_decides() -> None:
    found = types_of(
        ("Ada", "rdf:type", "Person"), ("Ada", "knows", "Bob"), ("Bob", "knows", "Ada")
    )
    assert (found["Ada"], found["Bob"]) == ("Person", "subject of knows")


def test_the_order_of_the_triples_changes_nothing() -> None:
    facts = [
        ("a", "x.y.p", "b"),
        ("a", "x.z.p", "c"),
        ("b", "x.z.q", "c"),
        ("c", "plain", "a"),
        ("b", "other", "a"),
    ]
    assert types_of(*facts) == types_of(*reversed(facts))


def test_no_triples_give_no_types() -> None:
    assert node_types(["a"], [], np.zeros((0, 3), dtype=np.int32)) == [""]
