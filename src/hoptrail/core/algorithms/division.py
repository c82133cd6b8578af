"""Turns a tree of clusters into the communities that are worth a report."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.cluster_tree import ClusterTree, WeightedGraph, summed_pairs
from hoptrail.core.embedding import IntArray

_NOWHERE = -2  # -1 stands for the graph as a whole


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Communities within communities, those of a level one after another from the coarsest on.

    Attributes:
        level: Shape (communities,), 0 is the coarsest.
        parent: Community that each is part of, shape (communities,), -1 on level 0.
        of_node: Finest community of each node, shape (nodes,), -1 for a node in none.
    """

    level: IntArray
    parent: IntArray
    of_node: IntArray


def divide(
    graph: WeightedGraph, tree: ClusterTree, whole_up_to: IntArray, *, least: int
) -> Hierarchy:
    """Return the communities of a graph.

    A cluster is divided into the parts below it if it has more nodes than it may have as a whole
    and there are edges between the parts. A part of fewer than `least` nodes tells no more than its
    relations do: it joins the part that it has the strongest edges with. On the coarsest level it
    is left out where there is none. Nodes without edges are in no community.

    Args:
        graph: The graph.
        tree: Clusters of its nodes.
        whole_up_to: How many nodes each cluster may have undivided, shape (clusters,).
        least: Fewest nodes of a community.
    """
    division = _Division(graph, tree, whole_up_to)
    levels = []
    while (parts := division.next_level(least)).max(initial=-1) >= 0:
        levels.append(parts)
    return _hierarchy(levels, graph.nodes)


class _Division:
    """Walks a tree of clusters level by level, and changes it where parts are too small.

    Every cluster has a `top`, the one at or above it that is to be divided next; -1 is the whole
    graph. A node's part is the cluster just below its top on the way down to the node, or the top
    itself where that is not divided.
    """

    def __init__(self, graph: WeightedGraph, tree: ClusterTree, whole_up_to: IntArray) -> None:
        self._parent = tree.parent.copy()
        self._cluster_of: IntArray = np.where(graph.degrees > 0, tree.cluster_of, -1)
        sizes = ClusterTree(self._parent, self._cluster_of).sizes()
        self._is_large: NDArray[np.bool_] = sizes > whole_up_to
        self._top: IntArray = np.full(len(tree.parent), -1, dtype=np.int32)
        self._edges = (graph.source, graph.target, graph.weight)
        self._take_apart()

    def next_level(self, least: int) -> IntArray:
        """Return the part of each node on the next level, -1 where its cluster is not divided."""
        while self._join_small(least) or self._pass_single() or self._close_unlinked():
            self._take_apart()
        found = np.where(self._part == self._within, -1, self._part)
        coarsest = np.flatnonzero(self._within == -1)
        small = coarsest[self._sizes()[self._part[coarsest]] < least]
        found[small] = self._cluster_of[small] = -1
        self._top = self._step
        self._take_apart()
        return found.astype(np.int32)

    def _take_apart(self) -> None:
        """Find each node's top and part, and the edges that are left inside of tops."""
        self._step = ClusterTree(self._parent, self._cluster_of).step_below(self._top)
        within, part = self._of_nodes(self._top), self._of_nodes(self._step)
        is_whole = ~self._is_large
        is_whole[part[(part == within) & (part >= 0)]] = True
        undivided = np.flatnonzero(within >= 0)
        undivided = undivided[is_whole[within[undivided]]]
        self._cluster_of[undivided] = part[undivided] = within[undivided]
        source, target, weight = self._edges
        kept = (within[source] == within[target]) & (part[source] != within[source])
        self._edges = (source[kept], target[kept], weight[kept])
        self._within, self._part = within, part

    def _of_nodes(self, of_cluster: IntArray) -> IntArray:
        known = self._cluster_of >= 0
        found: IntArray = np.full(len(known), _NOWHERE, dtype=np.int32)
        found[known] = of_cluster[self._cluster_of[known]]
        return found

    def _sizes(self) -> IntArray:
        """Return the number of nodes in each cluster that is a part, 0 for the others."""
        parts = self._part[self._part != self._within]
        return np.bincount(parts, minlength=len(self._parent)).astype(np.int32)

    def _divided_in(self, parts: IntArray) -> IntArray:
        """Return the top of each of these parts."""
        divided = self._part != self._within
        top_of: IntArray = np.full(len(self._parent), -1, dtype=np.int32)
        top_of[self._part[divided]] = self._within[divided]
        return top_of[parts]

    def _join_small(self, least: int) -> bool:
        """Put each part that is too small below the one that it has the strongest edges with.

        That one has more nodes, or as many and a lower number, so that no two join each other.
        """
        sizes = self._sizes()
        source, target, weight = self._edges
        ends = self._part[np.stack((source, target))]
        part, other = np.concatenate((ends, ends[::-1]), axis=1)
        outranks = (sizes[other] > sizes[part]) | ((sizes[other] == sizes[part]) & (other < part))
        kept = (sizes[part] < least) & outranks
        joining, joined, strength = summed_pairs(
            part[kept], other[kept], np.concatenate((weight, weight))[kept], len(sizes)
        )
        order = np.lexsort((joined, -strength, joining))
        joining, first = np.unique(joining[order], return_index=True)
        self._parent[joining] = joined[order][first]
        return len(joining) > 0 or self._join_unlinked(sizes, least)

    def _join_unlinked(self, sizes: IntArray, least: int) -> bool:
        """Put each part that is too small and has no edges below the largest beside it."""
        parts = np.flatnonzero(sizes).astype(np.int32)
        tops = self._divided_in(parts)
        order = np.lexsort((parts, -sizes[parts], tops))
        parts, tops = parts[order], tops[order]
        _, first, place = np.unique(tops, return_index=True, return_inverse=True)
        largest = parts[first[place]]
        joining = (tops >= 0) & (sizes[parts] < least) & (parts != largest)
        self._parent[parts[joining]] = largest[joining]
        return bool(joining.any())

    def _pass_single(self) -> bool:
        """Go on to the only part of each cluster that has just one."""
        tops = self._divided_in(np.flatnonzero(self._sizes()).astype(np.int32))
        is_single = np.bincount(tops[tops >= 0], minlength=len(self._parent) + 1) == 1
        passing = is_single[self._top]  # the whole graph asks for the last
        self._top[passing] = self._step[passing]
        return bool(passing.any())

    def _close_unlinked(self) -> bool:
        """Keep each cluster whole that has no edges between its parts."""
        divided = np.unique(self._within[(self._part != self._within) & (self._within >= 0)])
        source, target, _ = self._edges
        linked = self._within[source[self._part[source] != self._part[target]]]
        closed = np.setdiff1d(divided, linked)
        self._is_large[closed] = False
        return len(closed) > 0


def _hierarchy(levels: list[IntArray], nodes: int) -> Hierarchy:
    """Number the clusters that the nodes are in on each level, from the coarsest level on."""
    above: IntArray = np.full(nodes, -1, dtype=np.int32)
    parents, depths = [above[:0]], [above[:0]]
    count = 0
    for level, part in enumerate(levels):
        inside = np.flatnonzero(part >= 0)
        clusters, first, place = np.unique(part[inside], return_index=True, return_inverse=True)
        parents.append(above[inside[first]])
        depths.append(np.full(len(clusters), level, dtype=np.int32))
        above = above.copy()
        above[inside] = count + place
        count += len(clusters)
    return Hierarchy(np.concatenate(depths), np.concatenate(parents), above)
