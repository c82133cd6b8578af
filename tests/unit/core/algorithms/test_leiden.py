from __future__ import annotations

import numpy as np
from hypothesis import assume, given

from hoptrail.core.algorithms.leiden import hierarchical_leiden
from hoptrail.core.algorithms.weighted_graph import weighted_graph
from tests.unit.core.algorithms.graphs import Edges, ends, multigraphs
from tests.unit.core.algorithms.planted import graph_of, groups, modularity, nested


def test_planted_groups_are_found() -> None:
    tree = hierarchical_leiden(graph_of(20, groups(4, 5)), max_size=10, seed=42)
    found = tree.cluster_of.reshape(4, 5)
    assert (found == found[:, :1]).all()
    assert len(np.unique(found)) == 4


def test_a_large_cluster_is_divided() -> None:
    tree = hierarchical_leiden(graph_of(144, nested(6, 3, 8)), max_size=10, seed=42)
    assert np.count_nonzero(tree.parent < 0) == 6
    assert sorted(tree.sizes().tolist()) == [8] * 18 + [24] * 6


def test_the_same_graph_and_seed_give_the_same_clusters() -> None:
    graph = graph_of(60, groups(12, 5))
    first, second = (hierarchical_leiden(graph, max_size=10, seed=7) for _ in range(2))
    np.testing.assert_array_equal(first.parent, second.parent)
    np.testing.assert_array_equal(first.cluster_of, second.cluster_of)


def test_a_graph_without_edges_has_no_clusters() -> None:
    tree = hierarchical_leiden(graph_of(2, []), max_size=10, seed=42)
    assert (tree.parent.tolist(), tree.cluster_of.tolist()) == ([], [-1, -1])


@given(multigraphs(most_nodes=8, most_edges=20))
def test_clusters_are_no_worse_than_single_nodes(case: tuple[int, Edges]) -> None:
    nodes, edges = case
    graph = weighted_graph(nodes, *ends(edges), np.ones(len(edges)))
    assume(len(graph.source))
    found = hierarchical_leiden(graph, max_size=10, seed=42).cluster_of
    joined = np.flatnonzero(graph.degrees)
    part = graph.among(joined.astype(np.int32))
    singles = modularity(part, range(part.nodes))
    assert modularity(part, found[joined].tolist()) >= singles
    assert (found[graph.degrees == 0] == -1).all()
