from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.algorithms.flow import Flow, FlowPath, flow_paths, spread
from tests.unit.core.algorithms.graphs import Edges, incidence, multigraphs

DECAY = 0.8


def neighbours(edges: Edges, node: int) -> set[int]:
    touching = [edge for edge in edges if node in edge and edge[0] != edge[1]]
    return {end for edge in touching for end in edge} - {node}


def naive_resource(edges: Edges, start: int, threshold: float, hops: int) -> dict[int, float]:
    """Follow the definition: each layer receives from the one before it."""
    layers = [{start}]
    resource = {start: 1.0}
    for _ in range(hops):
        arriving: dict[int, float] = {}
        for node in layers[-1]:
            around = neighbours(edges, node)
            for other in around:
                if other not in resource and resource[node] / len(around) >= threshold:
                    share = DECAY * resource[node] / len(around)
                    arriving[other] = arriving.get(other, 0.0) + share
        resource |= arriving
        layers.append(set(arriving))
    return resource


@given(multigraphs(), st.sampled_from([0.0, 0.1, 0.3]), st.integers(0, 3))
def test_resource_agrees_with_a_slow_naive_version(
    graph: tuple[int, Edges], threshold: float, hops: int
) -> None:
    nodes, edges = graph
    flow = spread(incidence(edges, nodes), 0, decay=DECAY, threshold=threshold, hops=hops)
    assert flow.resource == pytest.approx(naive_resource(edges, 0, threshold, hops))


@given(multigraphs(most_nodes=5, most_edges=8))
def test_paths_are_loopless_and_their_reliability_is_the_mean_flow(
    graph: tuple[int, Edges],
) -> None:
    nodes, edges = graph
    flow = spread(incidence(edges, nodes), 0, threshold=0.0)
    paths = flow_paths(flow, 0, range(nodes), 100)
    for path in paths:
        assert len(set(path.nodes)) == len(path.nodes) == len(path.edges) + 1
        for edge, ends in zip(path.edges, pairwise(path.nodes), strict=True):
            assert set(edges[edge]) == set(ends)
        total = sum(flow.resource[node] for node in path.nodes)
        assert path.reliability == pytest.approx(total / len(path.edges))
    assert {path.nodes[-1] for path in paths} == set(flow.resource) - {0}


def star(leaves: int) -> Flow:
    return spread(incidence([(0, leaf) for leaf in range(1, leaves + 1)], leaves + 1), 0)


def test_a_hub_shares_too_thinly_to_give_anything() -> None:
    assert len(star(20).resource) == 21
    assert star(21).resource == {0: 1.0}


def test_paths_end_at_targets_only_best_first() -> None:
    edges = [(0, 1), (1, 2), (0, 3), (3, 4), (0, 2)]
    flow = spread(incidence(edges, 5), 0)
    paths = flow_paths(flow, 0, [0, 2, 4], 10)
    assert [path.nodes for path in paths] == [(0, 2), (0, 3, 4)]
    assert flow_paths(flow, 0, [0, 2, 4], 1) == paths[:1]


def test_parallel_edges_are_different_paths_of_one_neighbour() -> None:
    flow = spread(incidence([(0, 1), (1, 0)], 2), 0)
    assert flow.resource[1] == pytest.approx(0.8)
    assert flow_paths(flow, 0, [1], 5) == [
        FlowPath((0, 1), (0,), 1.8),
        FlowPath((0, 1), (1,), 1.8),
    ]
