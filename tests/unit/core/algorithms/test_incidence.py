from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.algorithms.incidence import Hubs
from hoptrail.core.algorithms.neighbourhood import Caps, expand_each
from hoptrail.core.embedding import FloatArray, IntArray
from tests.unit.core.algorithms.graphs import incidence, multigraphs


@pytest.fixture(scope="module")
def small_hubs() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hoptrail.core.algorithms.best_edges._HUB_DEGREE", 2)
        yield


@pytest.mark.usefixtures("small_hubs")
@given(st.data())
def test_with_hubs_an_expansion_finds_the_same(data: st.DataObject) -> None:
    nodes, edges = data.draw(multigraphs(most_nodes=9, most_edges=25))
    kinds = np.array(
        data.draw(
            st.lists(st.integers(0, 4), min_size=len(edges), max_size=len(edges)),
        ),
        dtype=np.int32,
    )
    score_of = np.array([0.25, 0.5, 0.25, 0.75, 0.0], dtype=np.float32)
    graph = incidence(edges, nodes)
    caps = Caps(hops=3, nodes=data.draw(st.integers(1, 10)), degree=data.draw(st.integers(1, 5)))
    hubs = Hubs(graph, kinds)
    for start in range(nodes):
        starts = np.array([start], dtype=np.int32)
        (found,) = expand_each(graph, [starts], lambda rows: score_of[kinds[rows]], caps, hubs)
        (wanted,) = expand_each(graph, [starts], lambda rows: score_of[kinds[rows]], caps)
        assert found.nodes.tolist() == wanted.nodes.tolist()
        assert found.edges.tolist() == wanted.edges.tolist()


def test_of_a_hub_each_kind_is_scored_once() -> None:
    spokes = [(0, leaf) for leaf in range(1, 100_001)]
    graph = incidence(spokes, 100_001)
    kinds = np.arange(100_000, dtype=np.int32) % 3
    asked: list[int] = []

    def score(edges: IntArray) -> FloatArray:
        asked.extend(edges.tolist())
        return kinds[edges].astype(np.float32)

    (found,) = expand_each(
        graph, [np.array([0], np.int32)], score, Caps(hops=1, degree=4), Hubs(graph, kinds)
    )
    assert found.edges.tolist() == [2, 5, 8, 11]
    assert len(asked) == 3


def test_a_hub_that_is_met_after_the_time_is_up_has_no_edges() -> None:
    graph = incidence([(0, leaf) for leaf in range(1, 1_001)], 1_001)
    hubs = Hubs(graph, np.zeros(1_000, dtype=np.int32))
    starts = np.array([0], np.int32)
    (found,) = expand_each(
        graph, [starts], lambda rows: rows.astype(np.float32), Caps(seconds=-1), hubs
    )
    assert found.nodes.tolist() == [0]
