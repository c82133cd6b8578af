"""The graph that evidence spans."""

from __future__ import annotations

from hoptrail.core.types import Entity, Evidence, Hit, Path, Relation
from hoptrail.eval.systems.retrieved_graph import RetrievedGraph


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
