from __future__ import annotations

from dataclasses import replace

from hoptrail.core.types import Evidence, Hit, Path, Relation
from hoptrail.models.graph_llm.evidence_graph import MOST_RELATIONS, graph_of_evidence

FOUNDED = Relation("r1", "yard", "founded_by", "thorn", subject="Alder Yard", object="Edda Thorn")
BORN = Relation("r2", "thorn", "born_in", "port", subject="Edda Thorn", object="Port Selwick")
NAMESAKE = Relation("r3", "other", "born_in", "port", subject="Edda Thorn", object="Port Selwick")


def test_relations_keep_their_order_and_those_of_paths_follow() -> None:
    evidence = Evidence(
        relations=(Hit(FOUNDED, 0.9),), paths=(Hit(Path((FOUNDED, BORN)), 0.5, "dot"),)
    )

    assert list(graph_of_evidence(evidence).triples()) == [
        ("Alder Yard", "founded_by", "Edda Thorn"),
        ("Edda Thorn", "born_in", "Port Selwick"),
    ]


def test_entities_of_one_name_stay_apart() -> None:
    graph = graph_of_evidence(Evidence(relations=(Hit(BORN), Hit(NAMESAKE))))

    assert graph.nodes == ("Edda Thorn", "Port Selwick", "Edda Thorn")
    assert graph.edges == ((0, "born_in", 1), (2, "born_in", 1))


def test_evidence_without_relations_is_an_empty_graph() -> None:
    assert graph_of_evidence(Evidence()).nodes == ()


def test_what_bears_least_on_the_question_is_left_out() -> None:
    many = tuple(Hit(replace(BORN, id=f"r{number}")) for number in range(MOST_RELATIONS + 9))

    assert len(graph_of_evidence(Evidence(relations=many)).edges) == MOST_RELATIONS
