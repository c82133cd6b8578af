from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from hoptrail.core.algorithms.cluster_tree import (
    ClusterTree,
    hierarchical_leiden,
    place_nodes,
    weighted_graph,
)
from tests.unit.core.algorithms.graphs import Edges, ends, multigraphs
from tests.unit.core.algorithms.planted import Edge, graph_of, groups, modularity, nested

TWO_GROUPS = ClusterTree(np.array([-1, -1], dtype=np.int32), np.repeat([0, 1], 5).astype(np.int32))


def tree(parent: list[int], cluster_of: list[int]) -> ClusterTree:
    return ClusterTree(np.array(parent, dtype=np.int32), np.array(cluster_of, dtype=np.int32))


def test_sizes_count_what_lies_below() -> None:
    assert tree([-1, 0, 0, 1], [3, 3, 2, 1, -1]).sizes().tolist() == [4, 3, 1, 2]


def test_a_step_goes_to_the_cluster_just_below() -> None:
    clusters = tree([-1, 0, 1, 2, -1], [])
    root = np.full(5, -1, dtype=np.int32)
    assert clusters.step_below(root).tolist() == [0, 0, 0, 0, 4]
    assert clusters.step_below(np.array([0, 0, 0, 0, 4])).tolist() == [0, 1, 1, 1, 4]


def test_a_grafted_tree_hangs_below_a_cluster_with_all_its_nodes() -> None:
    part = tree([-1, -1, 0], [2, 1, -1])
    nodes = np.array([0, 2, 3], dtype=np.int32)
    grown = tree([-1, -1], [1, 0, 1, 1]).grafted(part, nodes, 1)
    assert grown.parent.tolist() == [-1, -1, 1, 1, 2, 1]
    assert grown.cluster_of.tolist() == [4, 0, 3, 5]
    assert grown.sizes().tolist() == [1, 3, 1, 1, 1, 1]


def extended(tree: ClusterTree, nodes: int) -> ClusterTree:
    return ClusterTree(tree.parent, np.append(tree.cluster_of, np.full(nodes, -1)).astype(np.int32))


def placed(new: int, edges: list[Edge]) -> list[int]:
    graph = graph_of(10 + new, groups(2, 5) + edges)
    tree = place_nodes(graph, extended(TWO_GROUPS, new), np.arange(10, 10 + new, dtype=np.int32))
    assert tree.cluster_of[:10].tolist() == TWO_GROUPS.cluster_of.tolist()
    found: list[int] = tree.cluster_of[10:].tolist()
    return found


def test_a_new_node_joins_the_cluster_that_it_has_most_edges_with() -> None:
    assert placed(1, [(10, 0, 1.0), (10, 6, 1.0), (10, 7, 1.0)]) == [1]


def test_new_nodes_of_their_own_begin_a_cluster() -> None:
    assert placed(3, [(10, 11, 1.0), (11, 12, 1.0), (10, 12, 1.0)]) == [2, 2, 2]


def test_a_new_node_may_follow_another() -> None:
    assert placed(2, [(10, 0, 2.0), (10, 1, 2.0), (11, 10, 1.0)]) == [0, 0]


def test_a_new_node_goes_down_to_the_finest_cluster() -> None:
    parent = np.array([-1, -1, 0, 0], dtype=np.int32)
    cluster_of = np.repeat([2, 3, 1], 5).astype(np.int32)
    graph = graph_of(16, [*groups(3, 5), (15, 7, 1.0), (15, 8, 1.0)])
    tree = place_nodes(graph, extended(ClusterTree(parent, cluster_of), 1), np.array([15]))
    assert tree.cluster_of[15] == 3


@given(multigraphs(most_nodes=12, most_edges=30), st.data())
def test_every_node_with_edges_is_placed_and_none_other_moves(
    case: tuple[int, Edges], data: st.DataObject
) -> None:
    nodes, edges = case
    graph = weighted_graph(nodes, *ends(edges), np.ones(len(edges)))
    known = data.draw(st.integers(0, nodes))
    old = graph.among(np.arange(known, dtype=np.int32))
    before = hierarchical_leiden(old, max_size=3, seed=42)
    start = extended(before, nodes - known)
    new = np.flatnonzero((start.cluster_of < 0) & (graph.degrees > 0)).astype(np.int32)
    tree = place_nodes(graph, start, new)
    kept = before.cluster_of >= 0
    np.testing.assert_array_equal(tree.cluster_of[:known][kept], before.cluster_of[kept])
    np.testing.assert_array_equal(tree.cluster_of >= 0, graph.degrees > 0)
    assert not np.isin(tree.cluster_of[graph.degrees > 0], tree.parent).any()


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


def test_parallel_relations_add_up_and_loops_are_dropped() -> None:
    source = np.array([1, 0, 2, 2, 0], dtype=np.int32)
    target = np.array([0, 1, 2, 1, 2], dtype=np.int32)
    weight = np.array([1.0, 2.5, 9.0, 0.1, 0.0], dtype=np.float32)
    graph = weighted_graph(4, source, target, weight)
    assert graph.source.tolist() == [0, 1]
    assert graph.target.tolist() == [1, 2]
    assert graph.weight.tolist() == [3.5, 0.1]
    assert graph.degrees.tolist() == [3.5, 3.6, 0.1, 0.0]


def test_a_graph_without_nodes_is_empty() -> None:
    none = np.zeros(0, dtype=np.int32)
    assert weighted_graph(0, none, none, np.zeros(0)).degrees.tolist() == []


def test_a_part_is_numbered_by_place() -> None:
    source = np.array([0, 1, 2], dtype=np.int32)
    target = np.array([1, 2, 3], dtype=np.int32)
    part = weighted_graph(4, source, target, np.ones(3)).among(np.array([1, 2], dtype=np.int32))
    assert (part.nodes, part.source.tolist(), part.target.tolist()) == (2, [0], [1])


def test_degrees_within_groups_leave_out_what_joins_them() -> None:
    source = np.array([0, 1, 2], dtype=np.int32)
    target = np.array([1, 2, 3], dtype=np.int32)
    graph = weighted_graph(4, source, target, np.ones(3))
    group = np.array([0, 0, 1, 1], dtype=np.int32)
    assert graph.degrees_within(group).tolist() == [1.0, 1.0, 1.0, 1.0]
