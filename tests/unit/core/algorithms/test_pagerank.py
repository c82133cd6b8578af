from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hoptrail.core.algorithms.pagerank import pagerank, push
from hoptrail.core.embedding import FloatArray, IntArray


def csr(matrix: list[list[float]]) -> tuple[IntArray, IntArray, FloatArray]:
    indptr, indices, data = [0], list[int](), list[float]()
    for row in matrix:
        for column, weight in enumerate(row):
            if weight:
                indices.append(column)
                data.append(weight)
        indptr.append(len(indices))
    return (
        np.array(indptr, np.int32),
        np.array(indices, np.int32),
        np.array(data, np.float32),
    )


def naive(matrix: list[list[float]], seeds: list[float], damping: float) -> list[float]:
    """Follow the definition node by node for many steps."""
    size = len(matrix)
    jump = [seed / sum(seeds) for seed in seeds]
    ranks = jump
    for _ in range(500):
        updated = [(1 - damping) * jump[node] for node in range(size)]
        for node, row in enumerate(matrix):
            total = sum(row)
            for other in range(size):
                share = row[other] / total if total else jump[other]
                updated[other] += damping * ranks[node] * share
        ranks = updated
    return ranks


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[list[float]], list[float]]:
    size = draw(st.integers(1, 7))
    weight = st.sampled_from([0.0, 0.0, 1.0, 2.5])
    matrix = draw(
        st.lists(st.lists(weight, min_size=size, max_size=size), min_size=size, max_size=size)
    )
    seeds = draw(st.lists(st.sampled_from([0.0, 1.0, 3.0]), min_size=size, max_size=size))
    return matrix, seeds


@given(graphs(), st.sampled_from([0.5, 0.85]))
def test_it_agrees_with_a_slow_naive_version(
    graph: tuple[list[list[float]], list[float]], damping: float
) -> None:
    matrix, seeds = graph
    indptr, indices, data = csr(matrix)
    ranks = pagerank(indptr, indices, data, seeds=np.array(seeds, np.float32), damping=damping)
    wanted = naive(matrix, seeds if sum(seeds) else [1.0] * len(seeds), damping)
    np.testing.assert_allclose(ranks, wanted, atol=1e-7)


def test_a_hub_ranks_first() -> None:
    star = [[0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    indptr, indices, _ = csr([[float(x) for x in row] for row in star])
    assert int(pagerank(indptr, indices).argmax()) == 0


def test_ranks_sum_to_one_with_dangling_nodes() -> None:
    indptr, indices, data = csr([[0.0, 1.0], [0.0, 0.0]])
    assert pagerank(indptr, indices, data).sum() == pytest.approx(1.0)


def test_no_node_gives_no_rank() -> None:
    assert len(pagerank(np.zeros(1, np.int32), np.zeros(0, np.int32))) == 0


class Graph:
    """A CSR matrix as a neighbourhood that remembers which nodes were pushed."""

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self.rows, columns = np.nonzero(weights)
        self.columns: IntArray = columns.astype(np.int32)
        self.values = weights[self.rows, columns].astype(np.float32)
        self.indptr = np.searchsorted(self.rows, np.arange(len(weights) + 1)).astype(np.int32)
        self.pushed: set[int] = set()

    def degrees(self, nodes: IntArray) -> IntArray:
        degrees: IntArray = self.indptr[nodes + 1] - self.indptr[nodes]
        return degrees

    def edges(self, nodes: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        self.pushed.update(nodes.tolist())
        places = [np.flatnonzero(self.rows == node) for node in nodes.tolist()]
        positions: IntArray = np.repeat(np.arange(len(nodes)), [len(place) for place in places])
        entries = np.concatenate(places)
        return positions, self.columns[entries], self.values[entries]


@pytest.fixture
def weights() -> NDArray[np.float64]:
    dice = np.random.default_rng(3)
    half = np.triu(dice.random((30, 30)) * (dice.random((30, 30)) < 0.1), 1)
    return half + half.T


def start_at(node: int, size: int) -> NDArray[np.float64]:
    start = np.zeros(size)
    start[node] = 2.0
    return start


def test_ranks_are_those_of_pagerank_where_nothing_is_left_waiting(
    weights: NDArray[np.float64],
) -> None:
    weights[29], weights[:, 29] = 0.0, 0.0
    graph = Graph(weights)
    start = start_at(0, 30) + start_at(29, 30)
    ranks = push(start, graph, damping=0.8, tolerance=1e-12)
    seeds = start.astype(np.float32)
    exact = pagerank(graph.indptr, graph.columns, graph.values, seeds=seeds, damping=0.8)
    assert ranks / ranks.sum() == pytest.approx(exact, abs=1e-6)


def test_what_is_far_from_the_start_is_not_touched() -> None:
    path = np.diag(np.ones(199), 1) + np.diag(np.ones(199), -1)
    graph = Graph(path)
    ranks = push(start_at(0, 200), graph, damping=0.5, tolerance=1e-3)
    assert ranks[:5].min() > 0
    assert max(graph.pushed) < 20
    assert not ranks[20:].any()


def test_a_hub_is_pushed_only_where_each_neighbour_would_get_enough() -> None:
    star = np.zeros((102, 102))
    star[0, 1:101] = star[1:101, 0] = 1.0
    star[101, 1] = star[1, 101] = 1.0
    graph = Graph(star)
    push(start_at(101, 102), graph, damping=0.5, tolerance=0.01)
    assert graph.pushed == {101, 1}


def test_no_start_gives_no_ranks(weights: NDArray[np.float64]) -> None:
    assert not push(np.zeros(30), Graph(weights), damping=0.8, tolerance=1e-6).any()
