"""Finds clusters for nodes that are new, while all others keep theirs.

The moves are those of the Louvain and Leiden methods (Blondel et al. 2008; Traag et al. 2019),
restricted to the new nodes, so that taking these away again gives back what was there before.
"""

from __future__ import annotations

import numpy as np

from hoptrail.core.algorithms.cluster_tree import ClusterTree
from hoptrail.core.algorithms.weighted_graph import WeightedGraph
from hoptrail.core.embedding import IntArray

Neighbours = dict[int, list[tuple[int, float]]]

_PASSES = 10
_LEAST_GAIN = 1e-9  # below it, a difference is a rounding error


def place_nodes(graph: WeightedGraph, tree: ClusterTree, nodes: IntArray) -> ClusterTree:
    """Return the tree with a cluster for each of these nodes.

    From coarse to fine a new node joins the cluster that raises the modularity most; that may be
    one that other new nodes began, which is not divided. No other node moves.

    Args:
        graph: All nodes, old and new.
        tree: Clusters of the old ones.
        nodes: Those that have edges and no cluster yet.
    """
    pending = nodes
    neighbours = _neighbours(graph, pending)
    parent, cluster_of = tree.parent, tree.cluster_of.copy()
    stands_in: IntArray = np.full(graph.nodes, -1, dtype=np.int32)
    top: IntArray = np.full(len(parent), -1, dtype=np.int32)
    while len(pending):
        step = ClusterTree(parent, cluster_of).step_below(top)
        placed = cluster_of >= 0
        within = stands_in.copy()
        within[placed] = top[cluster_of[placed]]
        part: IntArray = np.full(graph.nodes, -1, dtype=np.int32)
        part[placed] = step[cluster_of[placed]]
        moves = _Moves(graph, within, part, len(parent))
        joined, begun_in = moves.place(pending, neighbours)
        parent = np.concatenate((parent, begun_in))
        top = np.concatenate((step, np.arange(len(step), len(parent), dtype=np.int32)))
        stands_in[pending] = joined
        final = ~np.isin(joined, parent)
        cluster_of[pending[final]] = joined[final]
        pending = pending[~final]
    return ClusterTree(parent, cluster_of)


class _Moves:
    """Moves of nodes between the parts of the clusters that they stand in.

    Args:
        graph: The graph.
        within: Cluster that each node stands in, -1 for the whole graph.
        part: Part of it that each node belongs to, -1 for those to be placed.
        first: Number of the first part that may be begun.
    """

    def __init__(self, graph: WeightedGraph, within: IntArray, part: IntArray, first: int) -> None:
        degrees = graph.degrees_within(within)
        known = part >= 0
        self._first = first
        self._within: list[int] = within.tolist()
        self._part: list[int] = part.tolist()
        self._degrees: list[float] = degrees.tolist()
        self._volumes: list[float] = np.bincount(part[known], degrees[known], first).tolist()
        self._totals: list[float] = np.bincount(within + 1, degrees).tolist()

    def place(self, nodes: IntArray, neighbours: Neighbours) -> tuple[IntArray, IntArray]:
        """Return the part of each node, and the cluster that each part begun here is part of.

        Parts that are begun are numbered from `first` on.
        """
        order = sorted(nodes.tolist(), key=lambda node: (-self._degrees[node], node))
        for place, node in enumerate(order):
            self._part[node] = self._first + place
            self._volumes.append(self._degrees[node])
        for _ in range(_PASSES):
            if not self._move_all([[node] for node in order], neighbours):
                begun: dict[int, list[int]] = {}
                for node in order:
                    if self._part[node] >= self._first:
                        begun.setdefault(self._part[node], []).append(node)
                if not self._move_all(list(begun.values()), neighbours):
                    break
        joined = np.array([self._part[node] for node in nodes.tolist()], dtype=np.int32)
        is_new = joined >= self._first
        numbers = np.unique(joined[is_new])
        joined[is_new] = self._first + np.searchsorted(numbers, joined[is_new])
        begun_in = [self._within[order[part - self._first]] for part in numbers.tolist()]
        return joined, np.array(begun_in, dtype=np.int32)

    def _move_all(self, groups: list[list[int]], neighbours: Neighbours) -> bool:
        """Move each group of nodes of one part; return whether any went to another."""
        return any([self._move(group, neighbours) for group in groups])

    def _move(self, group: list[int], neighbours: Neighbours) -> bool:
        """Move a group to the part where modularity gains most; return whether that is another."""
        within, old = self._within[group[0]], self._part[group[0]]
        links, inside = {old: 0.0}, set(group)
        for node in group:
            for neighbour, weight in neighbours[node]:
                part = self._part[neighbour]
                if self._within[neighbour] == within and part >= 0 and neighbour not in inside:
                    links[part] = links.get(part, 0.0) + weight
        degree = sum(self._degrees[node] for node in group)
        self._volumes[old] -= degree
        share = degree / (self._totals[within + 1] or 1.0)
        best = old
        most = links[old] - share * self._volumes[old] + _LEAST_GAIN
        for part in sorted(links):
            gain = links[part] - share * self._volumes[part]
            if gain > most:
                best, most = part, gain
        self._volumes[best] += degree
        for node in group:
            self._part[node] = best
        return best != old


def _neighbours(graph: WeightedGraph, nodes: IntArray) -> Neighbours:
    """Return neighbours and weights of these nodes."""
    wanted = np.zeros(graph.nodes, dtype=np.bool_)
    wanted[nodes] = True
    found: Neighbours = {node: [] for node in nodes.tolist()}
    for near, far in ((graph.source, graph.target), (graph.target, graph.source)):
        kept = wanted[near]
        columns = (near[kept].tolist(), far[kept].tolist(), graph.weight[kept].tolist())
        for node, neighbour, weight in zip(*columns, strict=True):
            found[node].append((neighbour, weight))
    return found
