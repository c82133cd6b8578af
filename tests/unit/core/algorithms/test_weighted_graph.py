from __future__ import annotations

import numpy as np

from hoptrail.core.algorithms.weighted_graph import weighted_graph


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
