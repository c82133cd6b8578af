from __future__ import annotations

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.algorithms.neighbourhood import Caps, Neighbourhood, expand
from hoptrail.core.embedding import FloatArray, IntArray
from tests.unit.core.algorithms.graphs import Edges, incidence, multigraphs


def by_number(edges: IntArray) -> FloatArray:
    """Score later edges higher."""
    return edges.astype(np.float32)


def around(edges: Edges, nodes: int, starts: list[int], caps: Caps) -> Neighbourhood:
    return expand(incidence(edges, nodes), np.array(starts, np.int32), by_number, caps)


@given(multigraphs(), st.integers(0, 4))
def test_without_caps_it_is_the_ego_graph(graph: tuple[int, Edges], hops: int) -> None:
    nodes, edges = graph
    reference = nx.MultiGraph()
    reference.add_nodes_from(range(nodes))
    reference.add_edges_from(edges)
    found = around(edges, nodes, [0], Caps(hops=hops))
    distance = nx.single_source_shortest_path_length(reference, 0, cutoff=hops)
    assert dict(zip(found.nodes.tolist(), found.hops.tolist(), strict=True)) == distance
    inner = {node for node, hop in distance.items() if hop < hops}
    touching = [number for number, edge in enumerate(edges) if set(edge) & inner]
    assert found.edges.tolist() == touching
    assert found.is_complete


@given(multigraphs(most_edges=14), st.integers(1, 4), st.integers(1, 3))
def test_caps_hold(graph: tuple[int, Edges], most: int, degree: int) -> None:
    nodes, edges = graph
    found = around(edges, nodes, [0], Caps(nodes=most, degree=degree))
    assert len(found.nodes) <= most
    assert set(found.nodes.tolist()) >= {end for edge in found.edges for end in edges[edge]}


def test_of_a_hub_the_best_edges_are_followed() -> None:
    spokes = [(0, leaf) for leaf in range(1, 100_001)]
    found = around(spokes, 100_001, [0], Caps(degree=3))
    assert sorted(found.nodes.tolist()) == [0, 99_998, 99_999, 100_000]
    assert not found.is_complete


def test_nodes_behind_the_best_edges_stay() -> None:
    found = around([(0, 1), (0, 2), (0, 3)], 4, [0], Caps(nodes=3))
    assert found.nodes.tolist() == [0, 3, 2]
    assert found.edges.tolist() == [1, 2]


def test_starts_are_kept_whatever_the_cap() -> None:
    found = around([(0, 1)], 4, [0, 2, 3], Caps(nodes=1))
    assert found.nodes.tolist() == [0, 2, 3]


def test_without_time_only_the_starts_are_left() -> None:
    found = around([(0, 1)], 2, [0], Caps(seconds=-1.0))
    assert found.nodes.tolist() == [0]
    assert not found.is_complete


def test_no_start_reaches_nothing() -> None:
    assert len(around([(0, 1)], 2, [], Caps()).nodes) == 0
