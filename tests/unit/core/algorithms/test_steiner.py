from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.algorithms.steiner import SteinerTree, prize_collecting_tree
from tests.unit.core.algorithms.graphs import Edges, ends, multigraphs

COST = 0.5


def solve(edges: Edges, nodes: list[float], prizes: list[float] | None = None) -> SteinerTree:
    of_edges = prizes or [0.0] * len(edges)
    return prize_collecting_tree(
        *ends(edges), np.array(nodes, np.float32), np.array(of_edges, np.float32), edge_cost=COST
    )


def loss(tree_edges: Edges, tree_nodes: set[int], prizes: list[float]) -> float:
    missed = sum(prize for node, prize in enumerate(prizes) if node not in tree_nodes)
    return COST * len(tree_edges) + missed


def is_tree(edges: Edges, nodes: set[int]) -> bool:
    if len(edges) != len(nodes) - 1:
        return False
    reached, waiting = set[int](), [min(nodes)]
    while waiting:
        node = waiting.pop()
        reached.add(node)
        for left, right in edges:
            for here, there in ((left, right), (right, left)):
                if here == node and there not in reached:
                    waiting.append(there)
    return reached == nodes


def least_loss(edges: Edges, prizes: list[float]) -> float:
    """Try every set of edges that is a tree, every single node and nothing."""
    best = min([sum(prizes)] + [loss([], {node}, prizes) for node in range(len(prizes))])
    for size in range(1, len(prizes)):
        for chosen in combinations(edges, size):
            nodes = {node for edge in chosen for node in edge}
            if is_tree(list(chosen), nodes):
                best = min(best, loss(list(chosen), nodes, prizes))
    return best


@given(multigraphs(most_nodes=5, most_edges=7), st.data())
def test_it_is_a_tree_that_loses_at_most_twice_the_least(
    graph: tuple[int, Edges], data: st.DataObject
) -> None:
    size, edges = graph
    prize = st.sampled_from([0.0, 0.0, 0.3, 0.8, 1.0, 2.0])
    prizes = data.draw(st.lists(prize, min_size=size, max_size=size))
    tree = solve(edges, prizes)
    chosen = [edges[edge] for edge in tree.edges.tolist()]
    nodes = set(tree.nodes.tolist())
    assert not nodes or is_tree(chosen, nodes)
    assert loss(chosen, nodes, prizes) <= 2 * least_loss(edges, prizes) + 1e-6


def test_prizes_are_joined_through_a_node_without_one() -> None:
    tree = solve([(0, 1), (1, 2), (2, 3)], [2.0, 0.0, 2.0, 0.0])
    assert tree.nodes.tolist() == [0, 1, 2]
    assert tree.edges.tolist() == [0, 1]


def test_a_prize_not_worth_its_way_is_left_out() -> None:
    tree = solve([(0, 1), (1, 2), (2, 3)], [2.0, 0.0, 0.0, 0.4])
    assert tree.nodes.tolist() == [0]
    assert len(tree.edges) == 0


def test_an_edge_with_a_prize_is_taken_with_both_ends() -> None:
    tree = solve([(0, 1), (1, 2)], [0.0, 0.0, 0.0], [0.0, 3.0])
    assert tree.nodes.tolist() == [1, 2]
    assert tree.edges.tolist() == [1]


def test_a_small_prize_of_an_edge_decides_between_two_ways() -> None:
    edges = [(0, 1), (1, 3), (0, 2), (2, 3)]
    tree = solve(edges, [2.0, 0.0, 0.0, 2.0], [0.0, 0.0, 0.2, 0.2])
    assert tree.edges.tolist() == [2, 3]


def test_of_separate_parts_the_best_is_taken() -> None:
    tree = solve([(0, 1), (2, 3)], [1.0, 1.0, 3.0, 1.0])
    assert tree.nodes.tolist() == [2, 3]


@pytest.mark.parametrize("nodes", [[], [0.0, 0.0]])
def test_without_prizes_there_is_no_tree(nodes: list[float]) -> None:
    tree = solve([(0, 1)] if nodes else [], nodes)
    assert len(tree.nodes) == len(tree.edges) == 0
