from __future__ import annotations

import numpy as np
from hypothesis import given

from hoptrail.core.algorithms.cluster_tree import ClusterTree, hierarchical_leiden, weighted_graph
from hoptrail.core.algorithms.division import Hierarchy, divide
from tests.unit.core.algorithms.graphs import Edges, ends, multigraphs
from tests.unit.core.algorithms.planted import Edge, graph_of, groups


def divided(
    edges: list[Edge], parent: list[int], cluster_of: list[int], *, whole_up_to: int = 4
) -> Hierarchy:
    tree = ClusterTree(np.array(parent, dtype=np.int32), np.array(cluster_of, dtype=np.int32))
    sizes = np.full(len(parent), whole_up_to, dtype=np.int32)
    return divide(graph_of(len(cluster_of), edges), tree, sizes, least=3)


def test_a_large_cluster_is_shown_with_its_parts() -> None:
    found = divided(groups(3, 3), [-1, 0, 0, 0], [1] * 3 + [2] * 3 + [3] * 3)
    assert found.level.tolist() == [0, 1, 1, 1]
    assert found.parent.tolist() == [-1, 0, 0, 0]
    assert found.of_node.tolist() == [1] * 3 + [2] * 3 + [3] * 3


def test_a_cluster_that_may_be_whole_hides_its_parts() -> None:
    found = divided(groups(2, 3), [-1, 0, 0], [1] * 3 + [2] * 3, whole_up_to=6)
    assert found.of_node.tolist() == [0] * 6


def test_a_small_part_joins_the_one_it_is_linked_with_most() -> None:
    edges: list[Edge] = [*groups(2, 3), (6, 0, 1.0), (6, 3, 2.0)]
    found = divided(edges, [-1, 0, 0, 0], [1] * 3 + [2] * 3 + [3])
    assert found.of_node.tolist() == [1] * 3 + [2] * 4


def test_small_parts_that_are_linked_make_one() -> None:
    edges: list[Edge] = [*groups(2, 3), (6, 7, 9.0), (7, 8, 9.0), (8, 9, 9.0), (9, 0, 1.0)]
    found = divided(edges, [-1, 0, 0, 0, 0], [1] * 3 + [2] * 3 + [3, 3, 4, 4])
    assert found.of_node.tolist() == [1] * 3 + [2] * 3 + [3] * 4


def test_a_small_cluster_apart_from_all_others_is_left_out() -> None:
    edges: list[Edge] = [*groups(1, 3), (3, 4, 5.0)]
    found = divided(edges, [-1, -1], [0] * 3 + [1, 1])
    assert found.of_node.tolist() == [0] * 3 + [-1, -1]


def test_a_small_part_joins_the_parts_of_a_divided_one() -> None:
    edges: list[Edge] = [*groups(3, 3), (9, 4, 1.0)]
    parent = [-1, 0, 0, 1, 1]
    found = divided(edges, parent, [3] * 3 + [4] * 3 + [2] * 3 + [2])
    assert len(np.unique(found.of_node)) == 3
    small = divided(edges, [-1, 0, 0, 1, 1, 0], [3] * 3 + [4] * 3 + [2] * 3 + [5])
    assert small.of_node[9] == small.of_node[4]
    assert small.level[small.of_node[4]] == 2


def test_a_cluster_with_a_single_part_is_shown_once() -> None:
    found = divided(groups(2, 3), [-1, 0, 1, 1], [2] * 3 + [3] * 3)
    assert found.level.tolist() == [0, 1, 1]


def test_parts_without_edges_between_them_are_not_shown() -> None:
    apart = [edge for edge in groups(2, 3) if edge[:2] != (2, 3)]
    found = divided(apart, [-1, 0, 0], [1] * 3 + [2] * 3)
    assert found.of_node.tolist() == [0] * 6


def test_a_graph_without_edges_has_no_communities() -> None:
    found = divided([], [-1], [0, 0, 0])
    assert (found.level.tolist(), found.of_node.tolist()) == ([], [-1] * 3)


@given(multigraphs(most_nodes=30, most_edges=60))
def test_communities_are_well_formed(case: tuple[int, Edges]) -> None:
    nodes, edges = case
    graph = weighted_graph(nodes, *ends(edges), np.ones(len(edges)))
    tree = hierarchical_leiden(graph, max_size=4, seed=42)
    found = divide(graph, tree, np.full(len(tree.parent), 4, dtype=np.int32), least=3)
    members = [set(np.flatnonzero(found.of_node == row)) for row in range(len(found.level))]
    for row in reversed(range(len(found.level))):
        parts = np.flatnonzero(found.parent == row)
        if len(parts):
            assert not members[row]  # whatever a divided community holds is in its parts
            assert len(parts) > 1
            members[row] = set().union(*(members[part] for part in parts))
        assert len(members[row]) >= 3
        assert all(found.level[part] == found.level[row] + 1 for part in parts)
    assert (found.level[found.parent < 0] == 0).all()
    assert (graph.degrees[found.of_node >= 0] > 0).all()
