"""Random undirected multigraphs, with self-loops, parallel edges and separate parts."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hoptrail.core.algorithms.incidence import Incidence
from hoptrail.core.embedding import IntArray

Edges = list[tuple[int, int]]


def ends(edges: Edges) -> tuple[IntArray, IntArray]:
    pairs = np.array(edges, dtype=np.int32).reshape(-1, 2)
    return pairs[:, 0].copy(), pairs[:, 1].copy()


def incidence(edges: Edges, nodes: int) -> Incidence:
    return Incidence.of(*ends(edges), nodes)


@st.composite
def multigraphs(draw: st.DrawFn, *, most_nodes: int = 6, most_edges: int = 10) -> tuple[int, Edges]:
    nodes = draw(st.integers(1, most_nodes))
    node = st.integers(0, nodes - 1)
    return nodes, draw(st.lists(st.tuples(node, node), max_size=most_edges))
