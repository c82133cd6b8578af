"""A connected subgraph that collects prizes of nodes and edges at little cost.

Growing clusters are flat arrays: by node its cluster's number (int64), and by cluster, under that
number, its unused prizes (float64); by edge its slack. Each event is a few operations on whole
arrays instead of a queue's many small ones: prizes are few, and so are the events.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray

_CLOSE = 1e-9

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SteinerTree:
    """Nodes and edges of a tree, ascending; a single node has no edge."""

    nodes: IntArray
    edges: IntArray


def prize_collecting_tree(
    source: IntArray,
    target: IntArray,
    node_prizes: FloatArray,
    edge_prizes: FloatArray,
    *,
    edge_cost: float = 0.5,
) -> SteinerTree:
    """Return a tree whose prizes, less the costs of its edges, are high.

    An edge's prize lowers its cost; where the prize is higher, a virtual node in the middle of the
    edge carries what is left. Clusters grow around the prizes until one is left, whose tree is
    then cut back to its best connected part (strong pruning): cost and missed prizes together are
    at most twice the least possible.

    Source: Goemans and Williamson, "A general approximation technique for constrained forest
    problems", SIAM J. Comput. 1995; unrooted with strong pruning as in Johnson, Minkoff and
    Phillips, SODA 2000; prizes of edges as in He et al., "G-Retriever", NeurIPS 2024. The package
    `pcst_fast` that the latter uses returns wrong arrays with NumPy 2 (its issue 16).

    Args:
        source: One end of each edge, shape (m,).
        target: The other end, shape (m,).
        node_prizes: Non-negative, shape (n,).
        edge_prizes: Non-negative, shape (m,).
        edge_cost: Cost of every edge.
    """
    nodes = len(node_prizes)
    virtual = np.flatnonzero(edge_prizes > edge_cost)
    plain = np.flatnonzero(edge_prizes <= edge_cost)
    middle = nodes + np.arange(len(virtual))
    left = np.concatenate([source[plain], source[virtual], middle]).astype(np.int32)
    right = np.concatenate([target[plain], middle, target[virtual]]).astype(np.int32)
    costs = np.zeros(len(left))
    costs[: len(plain)] = edge_cost - edge_prizes[plain]
    prizes = np.concatenate([node_prizes, edge_prizes[virtual] - edge_cost]).astype(np.float64)
    forest = _grow(left, right, prizes, costs)
    chosen, used = _best_part(left, right, prizes, costs, forest)
    through = virtual[chosen[chosen >= nodes] - nodes]
    edges = np.union1d(plain[used[used < len(plain)]], through).astype(np.int32)
    ends = np.concatenate([source[edges], target[edges], chosen[chosen < nodes]])
    return SteinerTree(np.unique(ends).astype(np.int32), edges)


def _grow(left: IntArray, right: IntArray, prizes: Floats, costs: Floats) -> list[int]:
    """Return the edges of the forest that moats around the prizes make tight.

    Every active cluster's moat grows at the same speed until it has used up the cluster's prizes;
    an edge that two moats fill joins their clusters. All events of one moment are handled together.
    """
    cluster = np.arange(len(prizes))
    unused, slack = prizes.copy(), costs.copy()
    active = unused > _CLOSE
    forest: list[int] = []
    while np.count_nonzero(active) > 1:
        between = cluster[left] != cluster[right]
        speed = between * (active[cluster[left]].astype(int) + active[cluster[right]])
        growing = speed > 0
        step = float(unused[active].min())
        if growing.any():
            step = min(step, float((slack[growing] / speed[growing]).min()))
        slack[growing] -= step * speed[growing]
        unused[active] -= step
        tight = np.flatnonzero(growing & (slack <= _CLOSE))
        forest += _join(tight, left, right, cluster, unused)
        active = _representatives(cluster) & (unused > _CLOSE)
    return forest


def _join(
    tight: NDArray[Any], left: IntArray, right: IntArray, cluster: NDArray[np.int64], unused: Floats
) -> list[int]:
    """Join the clusters at the ends of tight edges in place; return the edges that joined two."""
    parent: dict[int, int] = {}

    def find(name: int) -> int:
        while parent.get(name, name) != name:
            name = parent[name]
        return name

    joined: list[int] = []
    for edge in tight.tolist():
        one, other = find(int(cluster[left[edge]])), find(int(cluster[right[edge]]))
        if one != other:
            parent[other] = one
            unused[one] += unused[other]
            unused[other] = 0.0
            joined.append(edge)
    names = np.arange(len(cluster))
    for name in parent:
        names[name] = find(name)
    cluster[:] = names[cluster]
    return joined


def _representatives(cluster: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which numbers name a cluster, shape (nodes,)."""
    named: NDArray[np.bool_] = np.zeros(len(cluster), dtype=np.bool_)
    named[cluster] = True
    return named


def _best_part(
    left: IntArray, right: IntArray, prizes: Floats, costs: Floats, forest: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return nodes and edges of the forest's connected part of highest prizes less costs."""
    around: dict[int, list[tuple[int, int]]] = {}
    for edge in forest:
        one, other = int(left[edge]), int(right[edge])
        around.setdefault(one, []).append((other, edge))
        around.setdefault(other, []).append((one, edge))
    worth = prizes.copy()
    kept: dict[int, list[tuple[int, int]]] = {}
    for node, parent, edge in reversed(_rooted(around)):
        gain = float(worth[node] - costs[edge]) if edge >= 0 else 0.0
        if gain > _CLOSE:
            worth[parent] += gain
            kept.setdefault(parent, []).append((node, edge))
    if float(worth.max(initial=0.0)) <= _CLOSE:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    nodes, edges = [int(worth.argmax())], list[int]()
    for node in nodes:
        for child, edge in kept.get(node, ()):
            nodes.append(child)
            edges.append(edge)
    return np.array(nodes, dtype=np.int64), np.array(edges, dtype=np.int64)


def _rooted(around: dict[int, list[tuple[int, int]]]) -> list[tuple[int, int, int]]:
    """Return `(node, parent, edge)` of every tree, parents first; -1 at the roots."""
    order: list[tuple[int, int, int]] = []
    seen: set[int] = set()
    for root in around:
        if root in seen:
            continue
        seen.add(root)
        waiting = [(root, -1, -1)]
        while waiting:
            place = waiting.pop()
            order.append(place)
            for neighbour, edge in around[place[0]]:
                if neighbour not in seen:
                    seen.add(neighbour)
                    waiting.append((neighbour, place[0], edge))
    return order
