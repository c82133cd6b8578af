from __future__ import annotations

from collections.abc import Iterator

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.algorithms.yen import PathFinder
from tests.unit.core.algorithms.graphs import Edges, incidence, multigraphs


def all_paths(
    edges: Edges, node: int, target: int, seen: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """Yield the edges of every loopless path, by trying everything."""
    if node == target:
        yield ()
        return
    for number, (left, right) in enumerate(edges):
        for here, there in ((left, right), (right, left)):
            if here == node and there != node and there not in seen:
                for rest in all_paths(edges, there, target, (*seen, node)):
                    yield (number, *rest)


def finder(edges: Edges, nodes: int, costs: list[float] | None = None) -> PathFinder:
    return PathFinder(incidence(edges, nodes), np.array(costs or [1.0] * len(edges), np.float32))


@given(multigraphs(), st.data())
def test_it_finds_the_cheapest_of_all_paths_in_order(
    graph: tuple[int, Edges], data: st.DataObject
) -> None:
    nodes, edges = graph
    cost = st.sampled_from([1.0, 1.5, 2.0])
    costs = data.draw(st.lists(cost, min_size=len(edges), max_size=len(edges)))
    target = data.draw(st.integers(0, nodes - 1))
    wanted = set(all_paths(edges, 0, target)) if target != 0 else set[tuple[int, ...]]()
    totals = sorted(sum(costs[edge] for edge in path) for path in wanted)
    found = finder(edges, nodes, costs).shortest(0, target, 4)
    assert [route.cost for route in found] == pytest.approx(totals[:4])
    assert {route.edges for route in found} <= wanted
    assert len({route.edges for route in found}) == len(found)


@given(multigraphs(most_nodes=7, most_edges=14))
def test_path_lengths_agree_with_networkx(graph: tuple[int, Edges]) -> None:
    nodes, edges = graph
    simple = sorted({(min(edge), max(edge)) for edge in edges})
    reference = nx.Graph(simple)
    reference.add_nodes_from(range(nodes))
    target = nodes - 1
    found = finder(simple, nodes).shortest(0, target, 3)
    lengths: list[int] = []
    if target and nx.has_path(reference, 0, target):
        paths = nx.shortest_simple_paths(reference, 0, target)
        lengths = [len(path) - 1 for path, _ in zip(paths, range(3), strict=False)]
    assert [len(route.edges) for route in found] == lengths


def test_nodes_and_edges_of_a_route_fit_together() -> None:
    edges = [(1, 0), (2, 1), (3, 2)]
    [route] = finder(edges, 4).shortest(0, 3, 2)
    assert route.nodes == (0, 1, 2, 3)
    assert route.edges == (0, 1, 2)


def test_parallel_edges_make_different_paths() -> None:
    found = finder([(0, 1), (0, 1)], 2).shortest(0, 1, 5)
    assert [route.edges for route in found] == [(0,), (1,)]


def test_a_loop_is_never_taken() -> None:
    found = finder([(0, 0), (0, 1), (1, 1)], 2).shortest(0, 1, 5)
    assert [route.edges for route in found] == [(1,)]


@pytest.mark.parametrize(("target", "count"), [(0, 3), (2, 3), (1, 0)])
def test_no_path_to_itself_nor_to_another_part_nor_for_no_count(target: int, count: int) -> None:
    assert finder([(0, 1)], 3).shortest(0, target, count) == []


def test_distances_take_the_cheapest_of_parallel_edges() -> None:
    distances = finder([(0, 1), (1, 0), (1, 2)], 4, [3.0, 2.0, 1.0]).distances(np.array([0]))
    np.testing.assert_allclose(distances, [[0.0, 2.0, 3.0, np.inf]])


def test_distances_without_edges() -> None:
    np.testing.assert_allclose(finder([], 2).distances(np.array([1])), [[np.inf, 0.0]])
