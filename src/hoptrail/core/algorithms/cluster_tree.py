"""Clusters within clusters, as arrays: found by Leiden, with places for nodes that are new.

The moves of new nodes are those of the Louvain and Leiden methods (Blondel et al. 2008; Traag et
al. 2019), restricted to the new nodes, so that taking these away again gives back what was there
before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import IntArray

WeightArray = NDArray[np.float64]

Neighbours = dict[int, list[tuple[int, float]]]

_PASSES = 10
_LEAST_GAIN = 1e-9  # below it, a difference is a rounding error


@dataclass(frozen=True, slots=True)
class WeightedGraph:
    """Edges between nodes 0 to `nodes` - 1; each pair is there once, in order, lower node first.

    Attributes:
        nodes: Number of nodes.
        source: Lower node of each edge, shape (edges,).
        target: Higher node of each edge, shape (edges,).
        weight: Positive weight of each edge, shape (edges,).
    """

    nodes: int
    source: IntArray
    target: IntArray
    weight: WeightArray

    @property
    def degrees(self) -> WeightArray:
        """Sum of the weights at each node, shape (nodes,)."""
        return self._degrees(self.weight)

    def degrees_within(self, group: IntArray) -> WeightArray:
        """Return the degrees that edges inside a group give; `group` has the shape (nodes,)."""
        inside = group[self.source] == group[self.target]
        return self._degrees(np.where(inside, self.weight, 0.0))

    def among(self, nodes: IntArray) -> WeightedGraph:
        """Return the graph of these nodes (ascending) alone, numbered by their place."""
        place_of = np.full(self.nodes, -1, dtype=np.int32)
        place_of[nodes] = np.arange(len(nodes), dtype=np.int32)
        source, target = place_of[self.source], place_of[self.target]
        kept = (source >= 0) & (target >= 0)
        return WeightedGraph(len(nodes), source[kept], target[kept], self.weight[kept])

    def _degrees(self, weight: WeightArray) -> WeightArray:
        sums = np.bincount(self.source, weight, self.nodes)
        sums += np.bincount(self.target, weight, self.nodes)
        return sums.astype(np.float64)


def weighted_graph(
    nodes: int, source: IntArray, target: IntArray, weight: NDArray[np.floating]
) -> WeightedGraph:
    """Return the graph of directed relations: parallel ones add up, loops are dropped.

    Args:
        nodes: Number of nodes.
        source: Node that each relation leaves, shape (relations,).
        target: Node that each relation reaches, shape (relations,).
        weight: Shape (relations,); relations without a positive weight are left out.
    """
    kept = (source != target) & (weight > 0)
    lower = np.minimum(source, target)[kept]
    higher = np.maximum(source, target)[kept]
    return WeightedGraph(nodes, *summed_pairs(lower, higher, weight[kept], nodes))


def summed_pairs(
    first: IntArray, second: IntArray, weight: NDArray[np.floating], size: int
) -> tuple[IntArray, IntArray, WeightArray]:
    """Return each pair of numbers below `size` once, in order, with the sum of its weights."""
    keys = first.astype(np.int64) * size + second
    pairs, place = np.unique(keys, return_inverse=True)
    sums = np.bincount(place, weight.astype(np.float64), len(pairs))
    # Sums in another order differ in the last bits, and so might what is compared with them.
    rounded = np.round(sums, 6).astype(np.float64)
    size = max(size, 1)
    return (pairs // size).astype(np.int32), (pairs % size).astype(np.int32), rounded


@dataclass(frozen=True, slots=True)
class ClusterTree:
    """A hierarchy of clusters of nodes.

    Attributes:
        parent: Cluster that each cluster is part of, shape (clusters,), -1 on the coarsest level.
        cluster_of: Finest cluster of each node, shape (nodes,), -1 for a node in none.
    """

    parent: IntArray
    cluster_of: IntArray

    def sizes(self) -> IntArray:
        """Return the number of nodes in each cluster and those below it, shape (clusters,)."""
        clustered = self.cluster_of[self.cluster_of >= 0]
        sizes = np.bincount(clustered, minlength=len(self.parent)).astype(np.int32)
        above = np.arange(len(sizes), dtype=np.int32)
        own = sizes.copy()
        while len(risen := np.flatnonzero(above >= 0)):
            above[risen] = self.parent[above[risen]]
            arrived = risen[above[risen] >= 0]
            np.add.at(sizes, above[arrived], own[arrived])
        return sizes

    def step_below(self, top: IntArray) -> IntArray:
        """Return for each cluster the one just below `top` on the way down to it.

        Args:
            top: Cluster at or above each cluster, shape (clusters,), -1 for the root of all.

        Returns:
            Shape (clusters,); a cluster that is its own `top` stays.
        """
        step = np.arange(len(self.parent), dtype=np.int32)
        while True:
            higher = np.flatnonzero((step != top) & (self.parent[step] != top))
            if not len(higher):
                return step
            step[higher] = self.parent[step[higher]]

    def grafted(self, part: ClusterTree, nodes: IntArray, under: int) -> ClusterTree:
        """Return this tree with one of these nodes alone added below a cluster.

        Args:
            part: Its nodes are places in `nodes`; those that it has in no cluster get one together.
            nodes: Shape (n,).
            under: The cluster.
        """
        first, rest = len(self.parent), len(part.parent)
        parents = np.append(part.parent, -1) if (part.cluster_of < 0).any() else part.parent
        below = np.where(parents < 0, under, parents + first).astype(np.int32)
        cluster_of = self.cluster_of.copy()
        cluster_of[nodes] = np.where(part.cluster_of < 0, rest, part.cluster_of) + first
        return ClusterTree(np.concatenate((self.parent, below)), cluster_of)


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


def hierarchical_leiden(graph: WeightedGraph, *, max_size: int, seed: int) -> ClusterTree:
    """Return the clusters of a graph, each of more than `max_size` nodes divided where possible.

    Modularity is maximised with resolution 1. The same graph and seed give the same clusters.
    """
    if len(graph.source) == 0:
        none: IntArray = np.full(graph.nodes, -1, dtype=np.int32)
        return ClusterTree(none[:0], none)
    import graspologic_native as native

    rank = _ranks_beside_neighbours(graph)
    names = list(map(str, range(graph.nodes)))
    order = np.lexsort((rank[graph.target], rank[graph.source]))
    ends = (map(names.__getitem__, side[order].tolist()) for side in (graph.source, graph.target))
    edges = list(zip(*ends, graph.weight[order].tolist(), strict=True))
    divide = native.hierarchical_leiden  # pyright: ignore[reportAttributeAccessIssue]
    found = divide(edges, max_cluster_size=max_size, seed=seed)
    del edges
    parents: dict[int, int] = {}
    cluster_of: IntArray = np.full(graph.nodes, -1, dtype=np.int32)
    for entry in found:
        cluster = entry.cluster
        if cluster not in parents:
            parents[cluster] = -1 if entry.parent_cluster is None else entry.parent_cluster
        if entry.is_final_cluster:
            cluster_of[int(entry.node)] = cluster
    # Clusters are numbered from 0 without gaps, a part after what it is part of.
    parent = np.array([parents[cluster] for cluster in range(len(parents))], dtype=np.int32)
    return ClusterTree(parent, cluster_of)


def _ranks_beside_neighbours(graph: WeightedGraph) -> IntArray:
    """Return a rank for each node that is near those of its neighbours, shape (nodes,).

    The library numbers nodes as it meets them and reads the neighbours of one after another: where
    they lie far apart in memory, a large graph waits for it (Cuthill and McKee, Reducing the
    Bandwidth of Sparse Symmetric Matrices, 1969).
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    one_way = csr_array(
        (np.ones(len(graph.source), dtype=np.int8), (graph.source, graph.target)),
        shape=(graph.nodes, graph.nodes),
    )
    order = reverse_cuthill_mckee((one_way + one_way.T).tocsr(), symmetric_mode=True)
    rank: IntArray = np.empty(graph.nodes, dtype=np.int32)
    rank[order] = np.arange(graph.nodes, dtype=np.int32)
    return rank
