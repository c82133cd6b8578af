from __future__ import annotations

import numpy as np

from hoptrail.core.algorithms.cluster_tree import ClusterTree


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
