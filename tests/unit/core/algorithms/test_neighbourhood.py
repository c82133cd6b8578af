from __future__ import annotations

import time

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.algorithms.neighbourhood import Caps, Neighbourhood, expand_each
from hoptrail.core.embedding import FloatArray, IntArray
from tests.unit.core.algorithms.graphs import Edges, incidence, multigraphs


def by_number(edges: IntArray) -> FloatArray:
    """Score later edges higher."""
    return edges.astype(np.float32)


def around(edges: Edges, nodes: int, starts: list[int], caps: Caps) -> Neighbourhood:
    return expand_each(incidence(edges, nodes), [np.array(starts, np.int32)], by_number, caps)[0]


def naive(
    edges: Edges, scores: list[float], starts: list[int], caps: Caps
) -> tuple[dict[int, int], list[int]]:
    """Return the hop of each node in the order of reach, and the edges."""
    hop_of, followed = dict.fromkeys(starts, 0), set[int]()
    frontier = starts
    for hop in range(1, caps.hops + 1):
        best: dict[int, float] = {}
        for node in frontier:
            touching = [number for number, ends in enumerate(edges) if node in ends]
            touching.sort(key=lambda number: (-scores[number], number))
            for number in touching[: caps.degree]:
                followed.add(number)
                other = sum(edges[number]) - node
                if other not in hop_of:
                    best[other] = max(scores[number], best.get(other, -1.0))
        reached = sorted(best, key=lambda node: (-best[node], node))
        frontier = reached[: max(caps.nodes - len(hop_of), 0)]
        hop_of.update(dict.fromkeys(frontier, hop))
    inside = [number for number in sorted(followed) if set(edges[number]) <= set(hop_of)]
    return hop_of, inside


@given(st.data())
def test_expansions_side_by_side_find_what_a_naive_one_finds_from_each(data: st.DataObject) -> None:
    nodes, edges = data.draw(multigraphs(most_nodes=9, most_edges=25))
    scores = data.draw(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75]), min_size=len(edges), max_size=len(edges))
    )
    starts = data.draw(st.lists(st.lists(st.integers(0, nodes - 1), max_size=3, unique=True)))
    caps = Caps(
        hops=data.draw(st.integers(0, 4)),
        nodes=data.draw(st.integers(1, 10)),
        degree=data.draw(st.integers(1, 5)),
        seconds=60,
    )
    score = np.array(scores, dtype=np.float32)
    found = expand_each(
        incidence(edges, nodes),
        [np.array(one, dtype=np.int32) for one in starts],
        lambda numbers: score[numbers],
        caps,
    )
    assert [
        (dict(zip(f.nodes.tolist(), f.hops.tolist(), strict=True)), f.edges.tolist()) for f in found
    ] == [naive(edges, scores, one, caps) for one in starts]
    assert [f.nodes.tolist() for f in found] == [
        list(naive(edges, scores, one, caps)[0]) for one in starts
    ]


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


def test_a_hub_that_many_expansions_reach_is_looked_at_once() -> None:
    spokes = [(0, leaf) for leaf in range(1, 100_001)]
    asked: list[int] = []

    def score(edges: IntArray) -> FloatArray:
        asked.extend(edges.tolist())
        return by_number(edges)

    leaves = [np.array([leaf], dtype=np.int32) for leaf in (5, 6, 7)]
    found = expand_each(incidence(spokes, 100_001), leaves, score, Caps(hops=2, degree=2))
    assert [sorted(f.nodes.tolist()) for f in found] == [
        [0, leaf, 99_999, 100_000] for leaf in (5, 6, 7)
    ]
    assert len(asked) == 100_000 + len(leaves)


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


def test_when_the_time_is_up_what_was_reached_stays() -> None:
    def slow(edges: IntArray) -> FloatArray:
        time.sleep(0.4)
        return by_number(edges)

    path = incidence([(0, 1), (1, 2), (2, 3)], 4)
    (found,) = expand_each(path, [np.array([0], np.int32)], slow, Caps(seconds=0.3))
    assert found.nodes.tolist() == [0, 1]
    assert found.edges.tolist() == [0]


def test_no_start_reaches_nothing() -> None:
    assert len(around([(0, 1)], 2, [], Caps()).nodes) == 0
    assert expand_each(incidence([], 0), [], by_number, Caps()) == []
    assert len(around([], 0, [], Caps()).edges) == 0
