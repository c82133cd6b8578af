from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.algorithms.pagerank import pagerank
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
