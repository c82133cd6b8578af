"""Graph scores against hand-computed cases and networkx."""

from __future__ import annotations

import random

import networkx  # type: ignore[import-untyped]
import pytest

from hoptrail.eval.metrics.graph_scores import (
    connectedness,
    density,
    node_f1,
    node_precision,
    node_recall,
)
from hoptrail.eval.systems.retrieved_graph import RetrievedGraph

GOLD = (("Seine", "River Seine"), ("Tiber",))
EMPTY = RetrievedGraph({})


def make_graph(nodes: str, *edges: tuple[str, str]) -> RetrievedGraph:
    return RetrievedGraph({name: name for name in nodes.split()}, frozenset(edges))


def test_recall_counts_gold_answers_and_precision_nodes() -> None:
    graph = make_graph("seine paris rome ostia")
    assert node_recall(graph, GOLD) == 0.5
    assert node_precision(graph, GOLD) == 0.25
    assert node_f1(graph, GOLD) == pytest.approx(1 / 3)


def test_an_answer_is_found_under_any_of_its_forms() -> None:
    graph = RetrievedGraph({"river seine": "River Seine", "tiber": "TIBER"})
    assert node_recall(graph, GOLD) == 1


def test_nothing_retrieved_scores_zero_and_has_no_shape() -> None:
    assert [score(EMPTY, GOLD) for score in (node_recall, node_precision, node_f1)] == [0, 0, 0]
    assert density(EMPTY) is None
    assert connectedness(EMPTY) is None


def test_a_single_node_is_connected_and_has_no_density() -> None:
    assert connectedness(make_graph("a")) == 1
    assert density(make_graph("a")) is None


def test_a_node_apart_disconnects_a_graph() -> None:
    assert connectedness(make_graph("a b c", ("a", "b"))) == 0
    assert connectedness(make_graph("a b c", ("a", "b"), ("b", "c"))) == 1


@pytest.mark.parametrize("seed", range(20))
def test_density_and_connectedness_are_those_of_networkx(seed: int) -> None:
    draw = random.Random(seed)
    names = "abcdefgh"[: draw.randint(2, 8)]
    pairs = {(x, y) for x in names for y in names if x < y and draw.random() < 0.3}
    reference = networkx.Graph(pairs)
    reference.add_nodes_from(names)
    graph = make_graph(" ".join(names), *pairs)
    assert density(graph) == pytest.approx(networkx.density(reference))
    assert connectedness(graph) == networkx.is_connected(reference)
